import { z } from 'zod';
import { httpsUri } from './app-uris.js';

/** Largest logo: a request with it in base64 stays below the limit of request bodies (docs/product.md, branding). */
export const maxLogoBytes = 65_536;
/** Of its width and of its height. */
export const maxLogoPixels = 1024;

const accentColor = z
  .string()
  .regex(/^#[0-9a-fA-F]{6}$/, 'must be a colour such as #0b57a4')
  .describe(
    'Colour of the buttons and links of its pages, such as `#0b57a4`. The pages darken it in the light theme, and ' +
      'lighten it in the dark one, until the contrast of text is 4.5 : 1 (WCAG 2.2)',
  );
const logo = z
  .base64()
  .max(Math.ceil(maxLogoBytes / 3) * 4, 'must be at most 64 KiB')
  .describe(
    `A PNG image in base64: at most 64 KiB, and ${maxLogoPixels} pixels wide and high. Holdfast decodes it, and ` +
      'stores its pixels alone',
  );
const logoPath = z.string().describe('Path of its logo on the origin of the pages; the path names the content');
const startUrl = httpsUri.describe('Where its customers begin, such as its own website');
const helpUrl = httpsUri.describe('Where its customers get help');

/** What pages show of an organization besides its name, as responses have it. */
export const brandingFields = {
  startUrl: startUrl.optional(),
  helpUrl: helpUrl.optional(),
  accentColor: accentColor.optional(),
  logoPath: logoPath.optional(),
};
export type Branding = z.output<z.ZodObject<typeof brandingFields>>;

/** The same in changes: null removes. */
export const brandingChanges = {
  startUrl: startUrl.nullable().optional().describe('Where its customers begin; null removes it'),
  helpUrl: helpUrl.nullable().optional().describe('Where its customers get help; null removes it'),
  accentColor: accentColor.nullable().optional().describe(`${accentColor.description}. Null: the colour of Holdfast`),
  logo: logo.nullable().optional().describe(`${logo.description}. Null removes it`),
};

/** What the sign-in page of an app shows in place of what its organization has, as requests give it. */
export const appBrandingSettings = {
  accentColor: accentColor.describe(`${accentColor.description}. That of the organization when absent`),
  logo: logo.describe(`${logo.description}. That of the organization when absent`),
  startUri: httpsUri.describe(
    'Where customers begin with the app: its sign-in page leads back there. Otherwise it leads to a post-logout ' +
      'redirect URI, or to the origin of the redirect URI',
  ),
  helpUri: httpsUri.describe(
    'Where customers get help with the app: its sign-in page leads there, instead of to the help address of the ' +
      'organization. Holdfast never requests it',
  ),
};

/** The same as responses have it. */
export const appBrandingFields = {
  accentColor: appBrandingSettings.accentColor.optional(),
  logoPath: logoPath.optional(),
  startUri: appBrandingSettings.startUri.optional(),
  helpUri: appBrandingSettings.helpUri.optional(),
};

/** The path at which the gateway serves a logo. */
export function logoPathOf(shortId: string, logoId: string): string {
  return `/o/${shortId}/logos/${logoId}`;
}

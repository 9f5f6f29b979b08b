import { queryOptions } from '@tanstack/react-query';
import { accentColors } from '@holdfast/platform/accent-style';
import { shortId } from '../api/organization.ts';

/** What everybody may know of the organization. Before a sign-in too, so not by the API client. */
interface ShownOrganization {
  name: string;
  accentColor?: string;
}

export const brandingQuery = queryOptions({
  queryKey: ['organization', 'shown'],
  queryFn: async () => {
    const response = await fetch(`/o/${shortId}/api/organization`);
    // An organization that does not exist has a hub without a name, and nobody signs in to it.
    return response.ok ? ((await response.json()) as ShownOrganization) : { name: shortId };
  },
  staleTime: 60_000,
});

const sheet = new CSSStyleSheet();

/**
 * Controls and links in the colour of the organization, until their text can be read. In the dark theme controls have
 * white text, as in the light one, so they have the same colour.
 */
export function showAccent(color: string | undefined): void {
  sheet.replaceSync(color === undefined ? '' : accentRules(color));
  document.adoptedStyleSheets = [sheet];
}

/** @param color `#rrggbb` */
export function accentRules(color: string): string {
  const { accent, hover } = accentColors(color, 'light');
  const rule = (scheme: 'light' | 'dark', anchor: string) =>
    `:root[data-mantine-color-scheme='${scheme}']{--mantine-color-anchor:${anchor};` +
    `--mantine-color-blue-filled:${accent};--mantine-color-blue-filled-hover:${hover}}`;
  return rule('light', accent) + rule('dark', accentColors(color, 'darkHub').accent);
}

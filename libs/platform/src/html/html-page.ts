import { createHash } from 'node:crypto';
import type { Language } from '@holdfast/contracts';
import { accentStyle } from './accent-style.js';
import { escapeHtml, htmlHead } from './html-head.js';

/** The organization whose page it is: its display name, and how its pages look. */
export interface PageOrganization {
  name: string;
  /** `#rrggbb`. */
  accentColor?: string;
  /** Path of its logo on the origin of the page. */
  logoPath?: string;
}

/** A message to a person, in the card of the claim and sign-in pages (apps/pages/src/page.css). */
export interface HtmlPage {
  /** Absent when it is unknown. */
  organization?: PageOrganization | undefined;
  /** `stop`: an error; `good`: done; `calm`: a confirmation that is asked for. */
  tone: 'calm' | 'good' | 'stop';
  title: string;
  /** Of the texts. */
  language: Language;
  /** HTML. Escape untrusted text with `escapeHtml`. */
  body: string;
}

/**
 * A document without script. The gateway serves its stylesheet under a fixed name; the accent colour of the
 * organization is the one inline style, which `htmlPagePolicy` allows by its hash.
 */
export function htmlPage({ organization, tone, title, language, body }: HtmlPage): string {
  const head = htmlHead({
    title: organization === undefined ? title : `${title} – ${organization.name}`,
    language,
    styles: ['/pages/page.css'],
    more: organization?.accentColor === undefined ? [] : [`<style>${accentStyle(organization.accentColor)}</style>`],
  });
  const name = organization && `${pictureOf(organization)}<span dir="auto">${escapeHtml(organization.name)}</span>`;
  return `${head}<body>
<main class="card">
${name === undefined ? '' : `<p class="organization">${name}</p>\n`}<div class="icon ${tone}" aria-hidden="true"></div>
<h1>${escapeHtml(title)}</h1>
${body}
</main>
</body>
</html>
`;
}

/** The logo, or else the first letter of the name. */
function pictureOf({ name, logoPath }: PageOrganization): string {
  if (logoPath !== undefined) return `<img class="logo" src="${escapeHtml(logoPath)}" alt="">`;
  const initial = [...name.trim()][0]?.toUpperCase() ?? '';
  return `<span class="initial" aria-hidden="true">${escapeHtml(initial)}</span>`;
}

/**
 * Content-Security-Policy of such a page of the organization. `formAction` lists the targets of its forms, redirects
 * included.
 */
export function htmlPagePolicy(
  organization?: Pick<PageOrganization, 'accentColor'>,
  formAction: readonly string[] = ["'none'"],
): string {
  const { accentColor } = organization ?? {};
  const styles = accentColor === undefined ? '' : ` 'sha256-${sha256(accentStyle(accentColor))}'`;
  return [
    "default-src 'none'",
    `style-src 'self'${styles}`,
    "img-src 'self' data:",
    `form-action ${formAction.join(' ')}`,
    "base-uri 'none'",
    "frame-ancestors 'none'",
  ].join('; ');
}

function sha256(text: string): string {
  return createHash('sha256').update(text).digest('base64');
}

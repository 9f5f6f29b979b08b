import type { Language } from '@holdfast/contracts';
import { escapeHtml, htmlHead } from './html-head.js';

/** A message to a person, in the card of the claim and sign-in pages (apps/pages/src/page.css). */
export interface HtmlPage {
  /** Display name; absent when it is unknown. */
  organization?: string | undefined;
  /** `stop`: an error; `good`: done; `calm`: a confirmation that is asked for. */
  tone: 'calm' | 'good' | 'stop';
  title: string;
  /** Of the texts. */
  language: Language;
  /** HTML. Escape untrusted text with `escapeHtml`. */
  body: string;
}

/**
 * A document without script and inline style. The gateway serves its stylesheet under a fixed name.
 */
export function htmlPage({ organization, tone, title, language, body }: HtmlPage): string {
  const initial = [...(organization?.trim() ?? '')][0]?.toUpperCase() ?? '';
  const name =
    organization === undefined
      ? ''
      : `<span class="initial" aria-hidden="true">${escapeHtml(initial)}</span>` +
        `<span dir="auto">${escapeHtml(organization)}</span>`;
  const head = htmlHead({
    title: organization === undefined ? title : `${title} – ${organization}`,
    language,
    styles: ['/pages/page.css'],
  });
  return `${head}<body>
<main class="card">
${name && `<p class="organization">${name}</p>\n`}<div class="icon ${tone}" aria-hidden="true"></div>
<h1>${escapeHtml(title)}</h1>
${body}
</main>
</body>
</html>
`;
}

/** Content-Security-Policy of such a page. `formAction` lists the targets of its forms, redirects included. */
export function htmlPagePolicy(formAction: readonly string[] = ["'none'"]): string {
  return [
    "default-src 'none'",
    "style-src 'self'",
    "img-src 'self' data:",
    `form-action ${formAction.join(' ')}`,
    "base-uri 'none'",
    "frame-ancestors 'none'",
  ].join('; ');
}

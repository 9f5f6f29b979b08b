import { escapeHtml, htmlHead } from './html-head.js';

/** What a server says to a person: the card that the claim and sign-in pages have as well (apps/pages/src/page.css). */
export interface HtmlPage {
  /** Display name; absent where it is not known. */
  organization?: string | undefined;
  /** `stop`: something is in the way; `good`: done; `calm`: a question. */
  tone: 'calm' | 'good' | 'stop';
  title: string;
  /** HTML; escape what comes from outside with `escapeHtml`. */
  body: string;
}

/**
 * A whole document with no script and nothing inline. The gateway serves its stylesheet under a name that does not
 * change.
 */
export function htmlPage({ organization, tone, title, body }: HtmlPage): string {
  const initial = [...(organization?.trim() ?? '')][0]?.toUpperCase() ?? '';
  const name =
    organization === undefined
      ? ''
      : `<span class="initial" aria-hidden="true">${escapeHtml(initial)}</span><span dir="auto">${escapeHtml(organization)}</span>`;
  const head = htmlHead({
    title: organization === undefined ? title : `${title} – ${organization}`,
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

/** Content-Security-Policy of such a page. `formAction`: where a form of it may lead, redirects included. */
export function htmlPagePolicy(formAction: readonly string[] = ["'none'"]): string {
  return `default-src 'none'; style-src 'self'; img-src 'self' data:; form-action ${formAction.join(' ')}; base-uri 'none'; frame-ancestors 'none'`;
}

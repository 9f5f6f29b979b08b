import { createHash } from 'node:crypto';

/** Small enough to stand in the page; allowed by its hash, so that the policy needs no 'unsafe-inline'. */
const style = `:root { color-scheme: light dark; --ink: #1b2330; --soft: #5a6473; --paper: #f5f6f8; --card: #ffffff; --line: #d5dae1; --accent: #1f5fbf; --on-accent: #ffffff; }
@media (prefers-color-scheme: dark) { :root { --ink: #e7ebf1; --soft: #a4aebb; --paper: #12161c; --card: #1a2028; --line: #333b47; --accent: #8ab4f8; --on-accent: #0d1420; } }
* { box-sizing: border-box; }
body { margin: 0; min-height: 100vh; display: grid; place-items: center; padding: 1rem; color: var(--ink); background: var(--paper); font: 1.0625rem/1.5 system-ui, sans-serif; }
main { width: 100%; max-width: 27rem; padding: 1.75rem 1.5rem; background: var(--card); border: 1px solid var(--line); border-radius: .75rem; }
.who { margin: 0 0 1rem; color: var(--soft); font-size: .9375rem; overflow-wrap: anywhere; }
h1 { margin: 0 0 .5rem; font-size: 1.375rem; line-height: 1.25; }
p { margin: 0 0 1rem; }
button { width: 100%; min-height: 3rem; padding: .5rem 1rem; border: 0; border-radius: .5rem; background: var(--accent); color: var(--on-accent); font: inherit; font-weight: 600; cursor: pointer; }
button:focus-visible, a:focus-visible, summary:focus-visible { outline: 3px solid var(--accent); outline-offset: 3px; }
details { margin-top: 1.25rem; color: var(--soft); font-size: .875rem; }
summary { cursor: pointer; }
details p { margin: .5rem 0 0; overflow-wrap: anywhere; }`;

const styleHash = `'sha256-${createHash('sha256').update(style).digest('base64')}'`;

export interface Page {
  /** The organization's name. */
  who: string;
  title: string;
  /** HTML; what is not ours in it is escaped. */
  body: string;
}

export function pageOf({ who, title, body }: Page): string {
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="robots" content="noindex">
<title>${escape(title)} – ${escape(who)}</title>
<style>${style}</style>
</head>
<body>
<main>
<p class="who">${escape(who)}</p>
<h1>${escape(title)}</h1>
${body}
</main>
</body>
</html>
`;
}

/** The policy of a page of ours: no script, nothing from anywhere else. `formAction`: where a form of it may lead, redirects included. */
export function policyOf(formAction: readonly string[] = ["'none'"]): string {
  return `default-src 'none'; style-src ${styleHash}; form-action ${formAction.join(' ')}; base-uri 'none'; frame-ancestors 'none'`;
}

export function escape(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;').replaceAll('"', '&quot;').replaceAll("'", '&#39;');
}

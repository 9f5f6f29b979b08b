import { errorCatalogue } from '@holdfast/contracts';
import { htmlHead } from '@holdfast/platform';

/** The address of a file of the pages, by its name without a hash. */
type PathOf = (name: string) => string;

function page(title: string, body: string, styles: readonly string[]): string {
  return `${htmlHead({ title, styles, indexed: true })}<body>
${body}
</body>
</html>
`;
}

export function docsPage(pathOf: PathOf): string {
  return page(
    'Holdfast API reference',
    `<header><strong>Holdfast</strong>
<a href="/openapi.json">OpenAPI 3.1</a> <a href="/docs/errors">Errors</a></header>
<div id="reference"><noscript>The reference needs JavaScript;
<a href="/openapi.json">the OpenAPI description</a> does not.</noscript></div>
<script src="${pathOf('swagger-ui-bundle.js')}"></script>
<script src="${pathOf('reference.js')}"></script>`,
    [pathOf('swagger-ui.css'), pathOf('page.css'), pathOf('reference.css')],
  );
}

/** The page with every code of the catalogue, each under its own fragment: the `type` of a problem refers to it. */
export function errorsPage(pathOf: PathOf): string {
  const rows = Object.entries(errorCatalogue).map(([code, { status, title, help }]) => {
    const statuses = code === 'invalid_request' ? '400 or 422' : status;
    const heading = `<h2><code>${code}</code> <span>${statuses}</span></h2>`;
    return `<section id="${code}">${heading}<p><strong>${title}.</strong></p><p>${escape(help)}</p></section>`;
  });
  return page(
    'Holdfast errors',
    `<header><strong>Holdfast</strong> <a href="/docs">API reference</a></header>
<main class="text"><h1>Errors</h1>
<p>Every error of the API is a problem document (RFC 9457) with a <code>code</code> to branch on. OAuth endpoints
respond as their own standards require.</p>
${rows.join('\n')}
</main>`,
    [pathOf('page.css')],
  );
}

function escape(text: string): string {
  const safe = text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');
  return safe.replace(/`([^`]+)`/g, '<code>$1</code>');
}

/** The style of both pages. */
export const pageStyle = `:root { color-scheme: light dark; }
:root { --ink: #1b2330; --paper: #ffffff; --line: #d5dae1; --link: #1f5fbf; --soft: #f3f5f8; }
@media (prefers-color-scheme: dark) {
  :root { --ink: #e4e8ee; --paper: #1c2022; --line: #3a4246; --link: #8ab4f8; --soft: #262c2f; }
}
body { margin: 0; color: var(--ink); background: var(--paper); font: 16px/1.5 system-ui, sans-serif; }
a { color: var(--link); }
header { display: flex; flex-wrap: wrap; gap: .25rem 1.25rem; align-items: baseline; padding: .75rem 1.25rem; }
header { border-bottom: 1px solid var(--line); }
main.text { max-width: 46rem; margin: 0 auto; padding: 1rem 1.25rem 4rem; }
main.text section { border-top: 1px solid var(--line); padding: .25rem 0; }
main.text section:target { background: var(--soft); outline: 2px solid var(--link); }
main.text h2 { font-size: 1.05rem; margin: .75rem 0 .25rem; }
main.text h2 span { font-weight: 400; opacity: .75; }
main.text p { margin: .25rem 0; }
code { font: .95em ui-monospace, monospace; overflow-wrap: anywhere; }
noscript { display: block; padding: 1.25rem; }
`;

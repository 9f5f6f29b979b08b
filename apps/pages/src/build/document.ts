import { texts } from '../texts.ts';

/** Names of what a document loads, below `/pages/`. */
export interface Loads {
  script: string;
  style: string;
  icon: string;
}

/** The whole document of a page: the same for every organization and every link, with nothing inline. */
export function documentOf(title: string, { script, style, icon }: Loads): string {
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<meta name="robots" content="noindex">
<title>${title}</title>
<link rel="icon" href="/pages/${icon}" type="image/svg+xml">
<link rel="stylesheet" href="/pages/${style}">
<script type="module" src="/pages/${script}"></script>
</head>
<body>
<main id="page" aria-busy="true">
<p class="organization"></p>
<div class="icon"></div>
<h1>${texts.loading}</h1>
<noscript><p>${texts.noScript}</p></noscript>
<p class="late">${texts.late}</p>
</main>
</body>
</html>
`;
}

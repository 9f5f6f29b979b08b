import { texts } from '../texts.ts';

/** Names of what a document loads, below `/pages/`. */
export interface Loads {
  script: string;
  style: string;
  noScriptStyle: string;
  icon: string;
}

/** The whole document of a page: the same for every organization and every link, with nothing inline. */
export function documentOf(title: string, { script, style, noScriptStyle, icon }: Loads): string {
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
<noscript><link rel="stylesheet" href="/pages/${noScriptStyle}"></noscript>
<script type="module" src="/pages/${script}"></script>
</head>
<body>
<noscript><div class="no-script card"><h1>${texts.noScriptTitle}</h1><p>${texts.noScript}</p></div></noscript>
<main id="page" class="card" aria-busy="true">
<p class="organization"></p>
<div class="icon busy"></div>
<h1>${texts.loading}</h1>
<p class="late">${texts.late}</p>
</main>
</body>
</html>
`;
}

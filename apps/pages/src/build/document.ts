import { htmlHead } from '@holdfast/platform/html-head';
import { en } from '../texts/en.ts';

/** File names below `/pages/`. */
interface Assets {
  script: string;
  style: string;
  noScriptStyle: string;
  icon: string;
}

/** The document of a page: the same for every organization and every link, with nothing inline. */
export function documentOf(title: string, { script, style, noScriptStyle, icon }: Assets): string {
  const head = htmlHead({
    title,
    icon: `/pages/${icon}`,
    styles: [`/pages/${style}`],
    more: [
      `<noscript><link rel="stylesheet" href="/pages/${noScriptStyle}"></noscript>`,
      `<script type="module" src="/pages/${script}"></script>`,
    ],
  });
  return `${head}<body>
<noscript><div class="no-script card"><h1>${en.noScriptTitle}</h1><p>${en.noScript}</p></div></noscript>
<main id="page" class="card" aria-busy="true">
<p class="organization"></p>
<div class="icon busy"></div>
<h1>${en.loading}</h1>
<p class="late">${en.late}</p>
</main>
</body>
</html>
`;
}

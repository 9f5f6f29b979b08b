import { htmlHead } from '@holdfast/platform/html-head';
import { texts } from '../texts.ts';

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

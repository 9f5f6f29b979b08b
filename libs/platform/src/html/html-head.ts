/** The parts of a page's head that differ between pages. */
export interface HtmlHead {
  title: string;
  /** Language of the text, `en` when absent. */
  language?: string;
  /** URLs of its stylesheets, in order. */
  styles: readonly string[];
  /** URL of its icon. */
  icon?: string;
  /** Whether search engines may list it. */
  indexed?: boolean;
  /** Further lines of HTML. */
  more?: readonly string[];
}

/**
 * Everything from the doctype to the end of the head, for every page. It contains no inline script or style, which the
 * pages' content security policies forbid. The build of the customer pages imports only this file of the library.
 */
export function htmlHead({
  title,
  language = 'en',
  styles,
  icon = '/pages/icon.svg',
  indexed = false,
  more = [],
}: HtmlHead): string {
  const lines = [
    '<meta charset="utf-8">',
    '<meta name="viewport" content="width=device-width, initial-scale=1">',
    '<meta name="color-scheme" content="light dark">',
    ...(indexed ? [] : ['<meta name="robots" content="noindex">']),
    `<title>${escapeHtml(title)}</title>`,
    `<link rel="icon" href="${icon}" type="image/svg+xml">`,
    ...styles.map((style) => `<link rel="stylesheet" href="${style}">`),
    ...more,
  ];
  return `<!doctype html>\n<html lang="${language}">\n<head>\n${lines.join('\n')}\n</head>\n`;
}

export function escapeHtml(text: string): string {
  return text
    .replaceAll('&', '&amp;')
    .replaceAll('<', '&lt;')
    .replaceAll('>', '&gt;')
    .replaceAll('"', '&quot;')
    .replaceAll("'", '&#39;');
}

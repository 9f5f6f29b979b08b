/** What stands in the head of a page of ours, besides what all have. */
export interface HtmlHead {
  title: string;
  /** Addresses of its stylesheets, in their order. */
  styles: readonly string[];
  /** Address of its icon; the one whose name does not change when absent. */
  icon?: string;
  /** Whether search engines may list it. */
  indexed?: boolean;
  /** HTML that follows, a line each. */
  more?: readonly string[];
}

/**
 * From the doctype to the end of the head, for every page that a person sees. Nothing in it is inline: the pages'
 * policies let nothing inline run. A file of its own, since the build of the customers' pages uses it and nothing else
 * of this library.
 */
export function htmlHead({ title, styles, icon = '/pages/icon.svg', indexed = false, more = [] }: HtmlHead): string {
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
  return `<!doctype html>\n<html lang="en">\n<head>\n${lines.join('\n')}\n</head>\n`;
}

export function escapeHtml(text: string): string {
  return text
    .replaceAll('&', '&amp;')
    .replaceAll('<', '&lt;')
    .replaceAll('>', '&gt;')
    .replaceAll('"', '&quot;')
    .replaceAll("'", '&#39;');
}

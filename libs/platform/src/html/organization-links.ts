import type { Language } from '@holdfast/contracts';
import { escapeHtml } from './html-head.js';

/** The organization of a page, and its addresses for customers as far as it has them. */
interface LinkedOrganization {
  name: string;
  startUrl?: string | undefined;
  helpUrl?: string | undefined;
}

const linkTexts: Record<Language, { start: (name: string) => string; help: (name: string) => string }> = {
  en: { start: (name) => `Continue to ${name}`, help: (name) => `Get help from ${name}` },
  de: { start: (name) => `Weiter zu ${name}`, help: (name) => `Hilfe von ${name}` },
};

/** A link that looks like a button. The address is https by its schema, or a path. */
export function pageLink(kind: 'primary' | 'secondary', href: string, text: string): string {
  return `<a class="control ${kind}" href="${escapeHtml(href)}">${escapeHtml(text)}</a>`;
}

/** HTML that leads customers on from a page that ends here: to where they begin, and to help. */
export function organizationLinks(
  { name, startUrl, helpUrl }: LinkedOrganization,
  language: Language,
  start: 'primary' | 'secondary' = 'secondary',
): string {
  const texts = linkTexts[language];
  return [
    ...(startUrl === undefined ? [] : [pageLink(start, startUrl, texts.start(name))]),
    ...(helpUrl === undefined ? [] : [pageLink('secondary', helpUrl, texts.help(name))]),
  ].join('\n');
}

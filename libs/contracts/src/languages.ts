/** Without schemas, since browsers load it too. */

/** Languages of the pages (apps/pages/src/texts). The first one is used where none of a browser's is among them. */
export const languages = ['en', 'de'] as const;
export type Language = (typeof languages)[number];

/** The first language that the pages have, of language tags (RFC 5646) in the order of preference. */
export function knownLanguage(tags: readonly string[]): Language | undefined {
  const primary = tags.map((tag) => tag.toLowerCase().split('-')[0]);
  return languages.find((language) => language === primary.find((tag) => languages.some((known) => known === tag)));
}

/** The same, or the first language of the pages when they have none of these. */
export function languageOf(tags: readonly string[]): Language {
  return knownLanguage(tags) ?? languages[0];
}

/** The same for the value of the header `Accept-Language` (RFC 9110 §12.5.4). A weight of 0 excludes a language. */
export function languageOfHeader(acceptLanguage = ''): Language {
  const weighted = acceptLanguage.split(',').map((range) => {
    const [tag = '', weight] = range.split(';').map((part) => part.trim());
    return { tag, weight: weight === undefined ? 1 : Number(/^q=([01](?:\.\d{0,3})?)$/i.exec(weight)?.[1] ?? 0) };
  });
  const byWeight = weighted.filter(({ weight }) => weight > 0).toSorted((a, b) => b.weight - a.weight);
  return languageOf(byWeight.map(({ tag }) => tag));
}

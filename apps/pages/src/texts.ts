import { languageOf, type Language } from '@holdfast/contracts';
import type { Texts } from './texts/en.ts';
import { shared } from './texts/en/shared.ts';

export type { LinkTexts, Texts } from './texts/en.ts';

/** The addresses of the files in `texts`, which the build sets. */
declare const TEXTS_SCRIPTS: Partial<Record<Language, string>>;

/**
 * The language of the page: that of the app (`ui_locales`, OpenID Connect Core §3.1.2.1), or the first of the browser's
 * that the pages have.
 */
function languageOfPage(): Language {
  if (typeof document === 'undefined') return 'en';
  const requested = new URLSearchParams(location.search).get('ui_locales');
  return languageOf([...(requested === null ? [] : [requested]), ...navigator.languages]);
}

/** Without the file of a language, as on a connection that breaks, the page is in English. */
async function translationTo(language: Language): Promise<Texts | undefined> {
  const script = language === 'en' ? undefined : TEXTS_SCRIPTS[language];
  if (script === undefined) return undefined;
  return import(script).then((file: { texts: Texts }) => file.texts).catch(() => undefined);
}

const translation = await translationTo(languageOfPage());

/**
 * The words of one page, in its language. The English ones are those of `texts/en` that the page imports, so that its
 * script has no others; another language is one file, which only its readers load.
 */
export function wordsOf<Name extends keyof Texts>(name: Name, english: Texts[Name]): Texts[Name] {
  return translation?.[name] ?? english;
}

/** The texts that every page may show. */
export const texts: typeof shared = translation ?? shared;

if (typeof document !== 'undefined') {
  document.documentElement.lang = texts.locale;
  document.documentElement.dir = texts.direction;
}

import { languageOf, type Language } from '@holdfast/contracts';
import { en, type Texts } from './texts/en.ts';

export type { LinkTexts, Texts } from './texts/en.ts';

/** The addresses of the files in `texts`, which the build sets. English is part of each page. */
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
async function textsOf(language: Language): Promise<Texts> {
  const script = language === 'en' ? undefined : TEXTS_SCRIPTS[language];
  if (script === undefined) return en;
  return import(script).then((file: { texts: Texts }) => file.texts).catch(() => en);
}

/**
 * All texts that a customer or a person of an organization reads. `org` and `app` are chosen by the organization: show
 * them as text, never as HTML.
 */
export const texts = await textsOf(languageOfPage());

if (typeof document !== 'undefined') {
  document.documentElement.lang = texts.locale;
  document.documentElement.dir = texts.direction;
}

import i18next from 'i18next';
import { initReactI18next } from 'react-i18next';
import { languageOf, type Language } from '@holdfast/contracts';
import { en, type Texts } from './en.ts';

/** English is part of the script. Another language is a file of its own, for its readers alone. */
const others: Record<Exclude<Language, 'en'>, () => Promise<Texts>> = {
  de: async () => (await import('./de.ts')).de,
};
/** Where a browser remembers the language that somebody has chosen on the screen of their account. */
const stored = 'holdfast:language';

export async function startTexts(): Promise<void> {
  await i18next.use(initReactI18next).init({
    lng: 'en',
    resources: { en: { translation: en } },
    // Names of operations have a colon.
    nsSeparator: false,
    // React escapes what it shows.
    interpolation: { escapeValue: false },
  });
  await show(languageOf([chosen(), ...navigator.languages].filter((tag) => tag !== null)));
}

/** For this browser, from now on. */
export async function chooseLanguage(tag: string): Promise<void> {
  const language = languageOf([tag]);
  try {
    localStorage.setItem(stored, language);
  } catch {
    // A private window may deny storage: the language then holds until it is reloaded.
  }
  await show(language);
}

function chosen(): string | null {
  try {
    return localStorage.getItem(stored);
  } catch {
    return null;
  }
}

async function show(language: Language): Promise<void> {
  if (language !== 'en' && !i18next.hasResourceBundle(language, 'translation')) {
    const texts = await others[language]().catch(() => undefined);
    if (!texts) return;
    i18next.addResourceBundle(language, 'translation', texts);
  }
  document.documentElement.lang = language;
  await i18next.changeLanguage(language);
}

declare module 'i18next' {
  interface CustomTypeOptions {
    defaultNS: 'translation';
    resources: { translation: typeof en };
  }
}

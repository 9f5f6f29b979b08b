import i18next from 'i18next';
import { initReactI18next } from 'react-i18next';
import { languageOf, type Language } from '@holdfast/contracts';
import { en, type Texts } from './en.ts';

/** English is part of the script. Another language is a file of its own, for its readers alone. */
const others: Record<Exclude<Language, 'en'>, () => Promise<Texts>> = {
  de: async () => (await import('./de.ts')).de,
};

export async function startTexts(): Promise<void> {
  const language = languageOf(navigator.languages);
  const translation = language === 'en' ? en : await others[language]().catch(() => en);
  document.documentElement.lang = translation === en ? 'en' : language;
  await i18next.use(initReactI18next).init({
    lng: language,
    resources: { [language]: { translation } },
    // Names of operations have a colon.
    nsSeparator: false,
    // React escapes what it shows.
    interpolation: { escapeValue: false },
  });
}

declare module 'i18next' {
  interface CustomTypeOptions {
    defaultNS: 'translation';
    resources: { translation: typeof en };
  }
}

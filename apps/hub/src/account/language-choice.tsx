import { NativeSelect } from '@mantine/core';
import { useTranslation } from 'react-i18next';
import { languages } from '@holdfast/contracts';
import { chooseLanguage } from '../texts/texts.ts';

/** Each language in its own words. */
const names = { en: 'English', de: 'Deutsch' };

/** The language of the hub in this browser; without a choice that of the browser. */
export function LanguageChoice() {
  const { t, i18n } = useTranslation();
  return (
    <NativeSelect
      label={t('account.language')}
      maw={260}
      data={languages.map((value) => ({ value, label: names[value] }))}
      value={i18n.language}
      onChange={(event) => void chooseLanguage(event.currentTarget.value)}
    />
  );
}

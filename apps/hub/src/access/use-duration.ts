import { useTranslation } from 'react-i18next';

/** Seconds in words: hours, or from two days on days. */
export function useDuration(): (seconds: number) => string {
  const { i18n } = useTranslation();
  return (seconds) => {
    const hours = Math.round(seconds / 3600);
    const [value, unit] = hours < 48 ? [hours, 'hour'] : [Math.round(hours / 24), 'day'];
    return new Intl.NumberFormat(i18n.language, { style: 'unit', unit, unitDisplay: 'long' }).format(value);
  };
}

import i18next from 'i18next';

/** A point in time in words of the language, in the zone of the browser. */
export function instant(iso: string): string {
  return new Intl.DateTimeFormat(i18next.language, { dateStyle: 'medium', timeStyle: 'medium' }).format(new Date(iso));
}

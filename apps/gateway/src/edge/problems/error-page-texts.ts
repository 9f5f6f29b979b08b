import type { ErrorCode, Language } from '@holdfast/contracts';

interface PageText {
  title: string;
  text: string;
}

interface ErrorPageTexts {
  errors: Record<'not_found' | 'unknown_organization' | 'unavailable' | 'rate_limited', PageText>;
  other: PageText;
  tryAgain: string;
  details: string;
}

/** What people read when a request of their browser failed. */
export const errorPageTexts: Record<Language, ErrorPageTexts> = {
  en: {
    errors: {
      not_found: {
        title: 'There is no page at this address',
        text:
          'This is a sign-in service that organizations use for their customers. If a message brought you here, open ' +
          'its link again, in full. Otherwise start from the app that you want to sign in to.',
      },
      unknown_organization: {
        title: 'No organization has this address',
        text:
          'The link that brought you here may be damaged or out of date. Start again from the app that you want to ' +
          'sign in to.',
      },
      unavailable: { title: 'We cannot be reached right now', text: 'Nothing is lost. Please try again in a moment.' },
      rate_limited: { title: 'Too many tries', text: 'Please wait a moment, then try again.' },
    },
    other: {
      title: 'That did not work',
      text: 'Start again from the app that you want to sign in to. If that does not help, tell the people who run it.',
    },
    tryAgain: 'Try again',
    details: 'Details',
  },
  de: {
    errors: {
      not_found: {
        title: 'An dieser Adresse ist keine Seite',
        text:
          'Das ist ein Anmeldedienst, den Organisationen für ihre Kundinnen und Kunden verwenden. Wenn Sie aus einer ' +
          'Nachricht kommen, öffnen Sie deren Link noch einmal ganz. Sonst beginnen Sie bei der App, bei der Sie ' +
          'sich anmelden möchten.',
      },
      unknown_organization: {
        title: 'Keine Organisation hat diese Adresse',
        text:
          'Der Link, der Sie hierher gebracht hat, ist vielleicht beschädigt oder veraltet. Beginnen Sie noch einmal ' +
          'bei der App, bei der Sie sich anmelden möchten.',
      },
      unavailable: {
        title: 'Wir sind gerade nicht erreichbar',
        text: 'Nichts ist verloren. Bitte versuchen Sie es gleich noch einmal.',
      },
      rate_limited: {
        title: 'Zu viele Versuche',
        text: 'Bitte warten Sie einen Moment, und versuchen Sie es dann noch einmal.',
      },
    },
    other: {
      title: 'Das hat nicht geklappt',
      text:
        'Beginnen Sie noch einmal bei der App, bei der Sie sich anmelden möchten. Wenn das nicht hilft, sagen Sie es ' +
        'denen, die sie betreiben.',
    },
    tryAgain: 'Noch einmal versuchen',
    details: 'Einzelheiten',
  },
};

export function errorPageText({ errors, other }: ErrorPageTexts, code: ErrorCode): PageText {
  return (errors as Partial<Record<ErrorCode, PageText>>)[code] ?? other;
}

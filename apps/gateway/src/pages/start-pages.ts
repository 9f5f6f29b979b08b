import type { Language, organizationProfile, ReplyOf } from '@holdfast/contracts';
import { escapeHtml, htmlPage, organizationLinks, pageLink } from '@holdfast/platform';

type Profile = ReplyOf<typeof organizationProfile>;

interface StartPageTexts {
  platform: string;
  platformBody: string;
  /** For people who come without a link. */
  platformStart: string;
  reference: string;
  organization: (name: string) => string;
  organizationBody: string;
  start: (name: string) => string;
  startHere: (name: string) => string;
  fromAMessage: string;
  account: string;
  staff: (name: string) => string;
}

const startPageTexts: Record<Language, StartPageTexts> = {
  en: {
    platform: 'This is a sign-in service',
    platformBody: 'Organizations use it to sign in their customers with passkeys, without passwords.',
    platformStart: 'Otherwise start from the app or website that you want to sign in to.',
    reference: 'Reference for developers',
    organization: (name) => `${name} signs in its customers here`,
    organizationBody: 'It does so with passkeys, without passwords.',
    start: (name) => `Start from the app or website of ${name} that you want to sign in to.`,
    startHere: (name) => `To sign in, continue to ${name}.`,
    fromAMessage: 'If a message brought you here, open its link again, in full.',
    account: 'Your passkeys, and where you are signed in',
    staff: (name) => `For people who work at ${name}`,
  },
  de: {
    platform: 'Das ist ein Anmeldedienst',
    platformBody:
      'Organisationen verwenden ihn, um ihre Kundinnen und Kunden mit Passkeys anzumelden, ohne Passwörter.',
    platformStart: 'Sonst beginnen Sie bei der App oder Website, bei der Sie sich anmelden möchten.',
    reference: 'Referenz für Entwickler (Englisch)',
    organization: (name) => `Hier melden Sie sich bei ${name} an`,
    organizationBody: 'Das geht mit Passkeys, ohne Passwörter.',
    start: (name) => `Beginnen Sie bei der App oder Website von ${name}, bei der Sie sich anmelden möchten.`,
    startHere: (name) => `Um sich anzumelden, gehen Sie weiter zu ${name}.`,
    fromAMessage: 'Wenn Sie aus einer Nachricht kommen, öffnen Sie deren Link noch einmal ganz.',
    account: 'Ihre Passkeys, und wo Sie angemeldet sind',
    staff: (name) => `Für Menschen, die bei ${name} arbeiten`,
  },
};

/** The page at `/` (product §2): what this is, for people who come without a link. */
export function platformPage(language: Language): string {
  const texts = startPageTexts[language];
  return htmlPage({
    tone: 'calm',
    title: texts.platform,
    language,
    body: [
      `<p>${texts.platformBody}</p>`,
      `<p>${texts.fromAMessage} ${texts.platformStart}</p>`,
      pageLink('secondary', '/docs', texts.reference),
    ].join('\n'),
  });
}

/** The page of an organization (product §2): its name, and where its customers begin and get help. */
export function organizationPage(organization: Profile, language: Language): string {
  const { shortId, name, startUrl } = organization;
  const texts = startPageTexts[language];
  const start = startUrl === undefined ? texts.start(name) : texts.startHere(name);
  return htmlPage({
    organization,
    tone: 'calm',
    title: texts.organization(name),
    language,
    body: [
      `<p>${texts.organizationBody} ${escapeHtml(start)} ${texts.fromAMessage}</p>`,
      organizationLinks(organization, language, 'primary'),
      pageLink('secondary', `/o/${shortId}/account`, texts.account),
      pageLink('secondary', `/hub/${shortId}`, texts.staff(name)),
    ].join('\n'),
  });
}

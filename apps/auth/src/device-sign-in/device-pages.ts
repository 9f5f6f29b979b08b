import type { Language } from '@holdfast/contracts';
import { escapeHtml, htmlPage, htmlPagePolicy, organizationLinks } from '@holdfast/platform';
import { shownUserCode } from '../organization-issuer/device-flow.js';
import type { OrganizationProfile } from '../organizations/organizations.js';

interface DeviceTexts {
  enter: string;
  enterBody: string;
  code: string;
  hint: string;
  unknownCode: string;
  continue: string;
  confirm: (app: string) => string;
  confirmBody: string;
  warning: string;
  mine: string;
  notMine: string;
  approved: (app: string) => string;
  approvedBody: string;
  denied: string;
  deniedBody: string;
  ended: string;
  endedBody: string;
}

const deviceTexts: Record<Language, DeviceTexts> = {
  en: {
    enter: 'Sign in on your device',
    enterBody: 'Your device shows a code. Type it here.',
    code: 'Code',
    hint: 'Eight letters, for example WDJB-MJHT',
    unknownCode: 'No device shows this code, or it shows a newer one. Compare it with the screen, and type it again.',
    continue: 'Continue',
    confirm: (app) => `Sign in to ${app} on your device?`,
    confirmBody: 'Your device must show this code now:',
    warning:
      'Did somebody send you this code, or read it out to you? Then it is their device: do not continue, or they ' +
      'are signed in as you.',
    mine: 'This is my device',
    notMine: 'This is not my device',
    approved: (app) => `You are signed in to ${app}`,
    approvedBody: 'Your device continues by itself in a few seconds. You can close this page.',
    denied: 'The device is not signed in',
    deniedBody: 'Nothing has changed. You can close this page.',
    ended: 'This sign-in has ended',
    endedBody:
      'It took too long, was completed before, or began in another browser. Let your device show a new code, and ' +
      'type it here.',
  },
  de: {
    enter: 'Auf Ihrem Gerät anmelden',
    enterBody: 'Ihr Gerät zeigt einen Code. Geben Sie ihn hier ein.',
    code: 'Code',
    hint: 'Acht Buchstaben, zum Beispiel WDJB-MJHT',
    unknownCode:
      'Kein Gerät zeigt diesen Code, oder es zeigt inzwischen einen neuen. Vergleichen Sie ihn mit dem Bildschirm, ' +
      'und geben Sie ihn noch einmal ein.',
    continue: 'Weiter',
    confirm: (app) => `Auf Ihrem Gerät bei ${app} anmelden?`,
    confirmBody: 'Ihr Gerät muss jetzt diesen Code zeigen:',
    warning:
      'Hat Ihnen jemand diesen Code geschickt oder vorgelesen? Dann ist es dessen Gerät: Machen Sie nicht weiter, ' +
      'sonst ist dort jemand in Ihrem Namen angemeldet.',
    mine: 'Das ist mein Gerät',
    notMine: 'Das ist nicht mein Gerät',
    approved: (app) => `Sie sind bei ${app} angemeldet`,
    approvedBody: 'Ihr Gerät macht in wenigen Sekunden von selbst weiter. Sie können diese Seite schließen.',
    denied: 'Das Gerät ist nicht angemeldet',
    deniedBody: 'Es hat sich nichts geändert. Sie können diese Seite schließen.',
    ended: 'Diese Anmeldung ist beendet',
    endedBody:
      'Sie hat zu lange gedauert, war schon abgeschlossen, oder sie begann in einem anderen Browser. Lassen Sie Ihr ' +
      'Gerät einen neuen Code zeigen, und geben Sie ihn hier ein.',
  },
};

/** A page of a sign-in on a device. */
export type DevicePage =
  | { name: 'enter'; unknownCode?: string }
  | { name: 'confirm'; app: string; userCode: string }
  | { name: 'approved'; app: string }
  | { name: 'denied' }
  | { name: 'ended' };

interface Document {
  html: string;
  policy: string;
}

/** The document of a page, and its Content-Security-Policy. */
export function devicePage(page: DevicePage, { organization, language, action, isPerson }: PageContext): Document {
  const texts = deviceTexts[language];
  const policy = htmlPagePolicy(organization, ["'self'"]);
  const render = (tone: 'calm' | 'good' | 'stop', title: string, body: readonly string[]): Document => ({
    html: htmlPage({ organization, tone, title, language, body: body.join('\n') }),
    policy,
  });
  const links = isPerson ? [] : [organizationLinks(organization, language)];
  switch (page.name) {
    case 'enter':
      return render('calm', texts.enter, [`<p>${texts.enterBody}</p>`, codeForm(texts, action, page.unknownCode)]);
    case 'confirm': {
      const code = shownUserCode(page.userCode);
      return render('calm', texts.confirm(page.app), [
        `<p>${texts.confirmBody}</p>`,
        `<p class="user-code">${code}</p>`,
        `<p>${texts.warning}</p>`,
        `<form method="post" action="${action}"><input type="hidden" name="user_code" value="${code}">`,
        `<button class="control primary" type="submit" name="decision" value="continue">${texts.mine}</button>`,
        `<button class="control secondary" type="submit" name="decision" value="deny">${texts.notMine}</button></form>`,
      ]);
    }
    case 'approved':
      return render('good', texts.approved(page.app), [`<p>${texts.approvedBody}</p>`, ...links]);
    case 'denied':
      return render('stop', texts.denied, [`<p>${texts.deniedBody}</p>`, ...links]);
    case 'ended':
      return render('stop', texts.ended, [`<p>${texts.endedBody}</p>`, codeForm(texts, action)]);
  }
}

interface PageContext {
  organization: OrganizationProfile;
  language: Language;
  /** The address of the forms. */
  action: string;
  /** Whether the app signs people of the organization in, whom its addresses for customers do not help. */
  isPerson: boolean;
}

/** @param unknownCode what was typed, when it is no code of a device */
function codeForm(texts: DeviceTexts, action: string, unknownCode?: string): string {
  const isUnknown = unknownCode !== undefined;
  const error = isUnknown ? `<p class="error" id="code-error" role="alert">${texts.unknownCode}</p>` : '';
  return [
    `<form method="post" action="${action}"><label for="code">${texts.code}</label>`,
    `<p class="hint" id="code-hint">${texts.hint}</p>${error}`,
    '<input id="code" name="user_code" required maxlength="20" autocomplete="off" autocapitalize="characters" ' +
      `spellcheck="false" autofocus value="${escapeHtml(unknownCode ?? '')}" ` +
      `aria-describedby="code-hint${isUnknown ? ' code-error' : ''}"${isUnknown ? ' aria-invalid="true"' : ''}>`,
    `<button class="control primary" type="submit">${texts.continue}</button></form>`,
  ].join('\n');
}

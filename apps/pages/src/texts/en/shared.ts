import { someOrg } from './organization.ts';

/** The texts that every page may show. */
export const shared = {
  /** Of dates and numbers. */
  locale: 'en-GB',
  direction: 'ltr' as 'ltr' | 'rtl',
  loading: 'One moment …',
  late: 'Nothing happens? Load this page again. It needs JavaScript and a browser of the last few years.',
  noScriptTitle: 'JavaScript is switched off',
  noScript: 'This page needs JavaScript. Switch it on for this site, or open the link in another browser.',
  preparing: 'Asking your device …',
  preparingBody: 'On a slow connection this takes a moment.',
  stop: 'Cancel',
  tryAgain: 'Try again',
  share: {
    copy: 'Copy link',
    copied: 'Copied. Paste it into the address bar of your browser.',
    scan: 'Scan this code with the camera of another device.',
  },
  accountType: 'Account type',
  until: 'This link works until',
  help: (org: string) => `Get help from ${org}`,
  continueTo: (org: string) => `Continue to ${org}`,
  noPasskeyHere: 'No passkey on this device?',
  noPasskeyHereBody: (org: string) =>
    'If it is on your phone, continue here and choose another device when yours asks: you scan a code with your ' +
    `phone. If you have lost your device, or your passkey with it, ask ${org} for a new link.`,
  whatIsPasskey: 'What is a passkey?',
  passkey:
    'A passkey replaces the password. It stays with your device or your password manager, and you unlock it the way ' +
    'you unlock your screen: by fingerprint, face or PIN. There is nothing to remember and nothing that anybody ' +
    'could steal from us.',

  stopped: {
    cancelled: 'Your device did not confirm',
    cancelledBody: 'It was cancelled, or it took too long. You can try again as often as you like.',
    tooLate: 'That took a little too long',
    tooLateBody: 'For your safety the request expired. Please try again.',
    invalid: 'That did not work',
    invalidBody:
      'The passkey could not be verified. Try again, and confirm with your fingerprint, face or PIN when asked.',
    unsuitable: 'This device cannot do this yet',
    unsuitableBody:
      'A passkey needs a screen lock: a fingerprint, a face or a PIN. ' +
      'Set one up in the settings of your device, or use another device.',
    insecure: 'Not at this address',
    insecureBody:
      'Passkeys work only at the right, secure address (https). Open the link exactly as it was sent to you.',
    unsupported: 'This browser has no passkeys',
    unsupportedBody: 'Update it, or use a current Chrome, Edge, Firefox or Safari, on this device or on your phone.',
    busy: 'Too many tries',
    busyBody: (seconds?: number) => `Please wait ${waitingTime(seconds)}, then try again.`,
    unavailable: 'We cannot be reached right now',
    unavailableBody: 'Nothing is lost. Check your connection and try again in a moment.',
  },

  /** Used when the name is unknown. */
  someOrg,
  someApp: 'the app that you came from',
};

function waitingTime(seconds: number | undefined): string {
  if (seconds === undefined) return 'a minute';
  return seconds === 1 ? 'a second' : `${seconds} seconds`;
}

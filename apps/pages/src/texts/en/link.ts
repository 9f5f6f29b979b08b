import { atStart } from './organization.ts';

/** Words that every page has that a link opens. */
export const link = {
  create: 'Create my passkey',
  working: 'Confirm on your device',
  workingBody: 'It asks for your fingerprint, face or PIN. This page continues by itself.',
  saving: 'Almost done …',
  savingBody: 'Your passkey is on your device. We are saving it here.',
  inApp: 'Open this link in your browser',
  inAppBody:
    'It was opened inside another app, where a passkey cannot be created. Copy the link and paste it into the ' +
    'address bar of your browser, or scan the code with another device.',
  unsupportedBody:
    'Open this link in a current Chrome, Edge, Firefox or Safari: copy it, or scan the code with your phone.',
  notUsed: 'The link has not been used: it works there.',
  adding: 'Add a passkey',
  addingBody: (org: string) =>
    `With it you can sign in to ${org} on this device too. The passkeys that you have already keep working.`,
  added: 'Your passkey has been added',
  addedBody: (org: string) => `You can now sign in to ${org} with it, and with the ones that you had before.`,
  confirm: 'Now confirm it on your other device',
  confirmBody:
    'The page on which you began shows this code too. Compare the two, and confirm it there. Then you can sign in on ' +
    'this device.',
  code: 'Code',
  doneClose: 'You can close this page.',
  goOn: 'Continue',
  back: (org: string) => `Back to ${org}`,
  expiredBody: (org: string) => `Links work for a limited time. Ask ${org} to send you a new one.`,
  withdrawnBody: (org: string) =>
    `${atStart(org)} took it back, or sent you a newer one. Look for a later message, or ask for a new link.`,
  unknown: 'This link is not valid',
  unknownBody:
    'It may be damaged or incomplete. Open it again from the message, in full. If that does not help, ask the ' +
    'organization that sent it for a new one.',
  missing: 'Open the link from your message',
  missingBody:
    'This page needs the whole link that was sent to you. Open it from there again; a copied address may lack its ' +
    'last part.',
  existing: 'Your passkey is already on this device',
  existingBody: (org: string) =>
    `There is nothing more to do here: sign in to ${org} with it. ` +
    'For a passkey elsewhere, choose another device when yours asks.',
  existingAgain: 'Use another device',
};

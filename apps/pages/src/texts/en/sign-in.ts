export const signIn = {
  title: 'Sign in',
  ready: (app: string) => `Sign in to ${app}`,
  readyBody: (org: string) => `Use the passkey that you made for ${org}.`,
  readyStaffBody: (org: string) =>
    `For people who work at ${org}: use the passkey that you made for your work account.`,
  readyDevice: 'This signs in the device that shows the code, and not this one.',
  authenticate: 'Sign in with a passkey',
  authenticateEarlier: 'Use an earlier passkey',
  back: (app: string) => `Back to ${app}`,
  leaveDevice: 'Do not sign the device in',
  working: 'Confirm on your device',
  workingBody: 'It asks for your fingerprint, face or PIN.',
  verifying: 'Signing you in …',
  leavingDevice: 'Signing your device in …',
  leaving: (app: string) => `Going to ${app} …`,
  unknown: 'This passkey is not known here',
  unknownBody: (org: string) =>
    `${org} has no account for it, or no longer has. Choose another passkey, or ask ${org} for a new link.`,
  unknownStaffBody: (org: string) =>
    `No work account at ${org} has it. A passkey that you made as a customer does not work here. ` +
    `Choose another one, or ask an administrator of ${org} for a new link.`,
  deactivated: 'Your account is deactivated',
  deactivatedBody: (org: string) =>
    `Your passkey is right, and your work account at ${org} is switched off at the moment. ` +
    `Ask an administrator of ${org} if you need it.`,
  notAssigned: (app: string) => `You do not have access to ${app}`,
  notAssignedBody: (app: string, org: string) =>
    `Your passkey is right, and ${app} is not among the apps of your work account. ` +
    `Ask an administrator of ${org} for access.`,
  copied: 'This passkey needs to be replaced',
  copiedBody:
    'Your device counts how often it was used, and its count does not fit what we remember. Somebody may have ' +
    'copied it, so it no longer signs you in.',
  copiedAdvice: (org: string) => `Choose another passkey, or ask ${org} for a new link.`,
  copiedStaffAdvice: (org: string) => `Choose another passkey, or ask an administrator of ${org} for a new link.`,
  other: 'This passkey belongs to somewhere else',
  otherBody: (org: string) =>
    `It is for another organization, where it keeps working. Choose the one that you made for ${org}.`,
  chooseOther: 'Choose another passkey',
  expired: 'Please start again',
  expiredDeviceBody:
    'This sign-in has ended: it took too long, or it was completed before. Nothing is wrong with your passkey. ' +
    'Let your device show a new code.',
  expiredBody: (app: string) =>
    'This sign-in has ended: it took too long, or it was completed before. Nothing is wrong with your passkey. ' +
    `Go back to ${app} and sign in from there.`,
};

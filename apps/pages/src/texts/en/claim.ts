import { link } from './link.ts';

export const claim = {
  ...link,
  title: 'Passkey',
  ready: 'Create your passkey',
  readyBody: (org: string) =>
    `It signs you in to ${org} without a password: your device asks for your fingerprint, face or PIN.`,
  recovery: 'Create a new passkey',
  recoveryBody: (org: string) =>
    `Your account with ${org} stays as it is. The new passkey replaces the one before, which stops working.`,
  done: 'Your passkey is ready',
  doneBody: (org: string) => `From now on you sign in to ${org} with it. You will not need this link again.`,
  used: 'This link has been used',
  usedMine: 'A passkey was created with it. If that was you, all is well: sign in with your passkey.',
  usedTheirs: (org: string) =>
    `If it was not you, tell ${org} at once. It can block that passkey and send you a new link.`,
  expired: 'This link has expired',
  withdrawn: 'This link is no longer valid',
};

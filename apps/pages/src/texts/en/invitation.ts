import { link } from './link.ts';

export const invitation = {
  ...link,
  title: 'Invitation',
  ready: 'Accept your invitation',
  readyBody: (org: string) =>
    `${org} has invited you to its team. Create a passkey to accept: you sign in with it from now on, without a ` +
    'password, and your device asks for your fingerprint, face or PIN.',
  recovery: 'Create a new passkey',
  recoveryBody: (org: string) =>
    `Your account at ${org} stays as it is. The new passkey replaces all earlier ones, which stop working, and you ` +
    'are signed out everywhere.',
  done: 'You are on the team',
  doneBody: (org: string) =>
    `From now on you sign in to ${org} and its apps with your passkey. You will not need this link again.`,
  used: 'This invitation has been accepted',
  usedMine: 'A passkey was created with this link. If that was you, all is well: sign in with your passkey.',
  usedTheirs: (org: string) =>
    `If it was not you, tell ${org} at once. It can deactivate the account and send you a new link.`,
  expired: 'This invitation has expired',
  withdrawn: 'This invitation is no longer valid',
};

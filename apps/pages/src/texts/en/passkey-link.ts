import { link } from './link.ts';

export const passkeyLink = {
  ...link,
  title: 'Add a passkey',
  ready: link.adding,
  readyBody: link.addingBody,
  recovery: link.adding,
  recoveryBody: link.addingBody,
  done: link.added,
  doneBody: link.addedBody,
  used: 'A passkey was made with this link',
  usedMine: 'If that was you: confirm it on the device where you began.',
  usedTheirs: () => 'If it was not you, do not confirm it there, and make a new link.',
  expired: 'This link has expired',
  expiredBody: () => 'It works for ten minutes. Make a new one on the page where you began.',
  withdrawn: 'This link is no longer valid',
  withdrawnBody: () => 'Make a new one on the page where you began.',
};

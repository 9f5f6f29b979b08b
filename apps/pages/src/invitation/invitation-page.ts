import type { InvitationLink } from '@holdfast/contracts';
import { runLinkPage } from '../link/link-page.ts';
import { wordsOf } from '../texts.ts';
import { invitation } from '../texts/en/invitation.ts';

const shortId = location.pathname.split('/')[2]!;

const returnUrl = `/hub/${shortId}`;

runLinkPage({
  words: wordsOf('invitation', invitation),
  forCustomers: false,
  viewOf: ({ state, ...invitation }: InvitationLink & { organization: { name: string } }) => ({
    ...invitation,
    state: state === 'accepted' ? 'used' : state,
    // Who has a passkey can sign in there; for the others it leads nowhere.
    ...((state === 'accepted' || state === 'open') && { returnUrl }),
  }),
  returnUrl,
});

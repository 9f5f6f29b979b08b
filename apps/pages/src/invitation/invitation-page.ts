import type { InvitationLink } from '@holdfast/contracts';
import { runLinkPage } from '../link/link-page.ts';
import { texts } from '../texts.ts';

const shortId = location.pathname.split('/')[2]!;

runLinkPage({
  words: texts.invitation,
  viewOf: ({ state, ...invitation }: InvitationLink & { organization: { name: string } }) => ({
    ...invitation,
    state: state === 'accepted' ? 'used' : state,
  }),
  returnUrl: `/hub/${shortId}`,
});

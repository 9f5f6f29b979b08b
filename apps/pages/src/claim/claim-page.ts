import type { Claim } from '@holdfast/contracts';
import { runLinkPage } from '../link/link-page.ts';
import { texts } from '../texts.ts';

runLinkPage({
  words: texts.claim,
  viewOf: ({ credentialType, state, ...claim }: Claim & { organization: { name: string } }) => ({
    ...claim,
    state: state === 'claimed' ? 'used' : state,
    accountType: credentialType.display,
  }),
});

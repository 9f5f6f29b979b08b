import type { Claim, ShownOrganization } from '@holdfast/contracts';
import { runLinkPage } from '../link/link-page.ts';
import { wordsOf } from '../texts.ts';
import { claim } from '../texts/en/claim.ts';

runLinkPage({
  words: wordsOf('claim', claim),
  forCustomers: true,
  viewOf: ({ credentialType, state, ...claim }: Claim & { organization: ShownOrganization }) => ({
    ...claim,
    state: state === 'claimed' ? 'used' : state,
    ...(!credentialType.only && { accountType: credentialType.display }),
  }),
});

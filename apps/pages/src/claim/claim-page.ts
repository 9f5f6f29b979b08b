import type { Claim, ShownOrganization } from '@holdfast/contracts';
import { runLinkPage } from '../link/link-page.ts';
import { texts } from '../texts.ts';

runLinkPage({
  words: texts.claim,
  forCustomers: true,
  viewOf: ({ credentialType, state, ...claim }: Claim & { organization: ShownOrganization }) => ({
    ...claim,
    state: state === 'claimed' ? 'used' : state,
    ...(!credentialType.only && { accountType: credentialType.display }),
  }),
});

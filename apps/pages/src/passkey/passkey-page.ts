import type { ShownOrganization } from '@holdfast/contracts';
import { runLinkPage } from '../link/link-page.ts';
import { wordsOf } from '../texts.ts';
import { passkeyLink } from '../texts/en/passkey-link.ts';

/** The page of a link that the account page has made, on another device. */
interface Loaded {
  organization: ShownOrganization;
  state: 'open' | 'used' | 'expired';
  expiresAt: string;
}

runLinkPage({
  words: wordsOf('passkeyLink', passkeyLink),
  forCustomers: true,
  viewOf: (loaded: Loaded) => ({ ...loaded, recovery: false, adds: true }),
});

import { account } from './en/account.ts';
import { claim } from './en/claim.ts';
import { invitation } from './en/invitation.ts';
import { passkeyLink } from './en/passkey-link.ts';
import { shared } from './en/shared.ts';
import { signIn } from './en/sign-in.ts';
import { verify } from './en/verify.ts';

/**
 * All texts that a customer or a person of an organization reads. `org` and `app` are chosen by the organization: show
 * them as text, never as HTML. A page has those that it imports; its script would be a third longer with all of them.
 */
export const en = { ...shared, claim, invitation, passkeyLink, signIn, account, verify };

/** The texts of a language. Each other language has the same ones. */
export type Texts = typeof en;

/** The words of a page that a link opens. */
export type LinkTexts = Texts['claim'];

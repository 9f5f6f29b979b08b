import { HoldfastRefused } from '../holdfast/trouble.ts';
import { idempotencyKey } from '../web/sessions.ts';
import { redirect, sessionOf, type Answer, type Visit } from '../web/visit.ts';
import { proofFor } from './presence.ts';
import { inWords } from './trouble.ts';

/** A new link to the same customer: lost phone, lost mail. `subject` and account stay what they are. */
export function offerAgain(visit: Visit): Promise<Answer> {
  return deed(visit, async (subject) => {
    const { shop, form } = visit;
    const session = sessionOf(visit);
    const account = shop.accounts.find(shop.settings.issuer, subject);
    if (!account) return 'This shop has no account to send a link to.';
    const key = idempotencyKey(session, form.get('form') ?? '', subject);
    const { claimUrl, offerId, credentialId, expiresAt } = await shop.credentials.offerAgain(
      subject,
      key,
      shop.settings.welcomeUri,
      proofFor(visit, key),
    );
    const again = (await shop.credentials.customer(subject)).claimed;
    await shop.accounts.remember(account, { offerId, credentialId, expiresAt, again });
    session.letter = { to: account.email, name: account.name, claimUrl, expiresAt, subject };
    return 'A new link was made. A real shop would send it; here it is.';
  });
}

export function withdrawOffer(visit: Visit): Promise<Answer> {
  return deed(visit, async (subject) => {
    const { shop } = visit;
    const account = shop.accounts.find(shop.settings.issuer, subject);
    if (!account?.offer) return 'There is no offer that could be taken back.';
    await shop.credentials.withdraw(account.offer.offerId).catch(async (error: unknown) => {
      // Used, replaced or gone before: there will be no second try. Away is another matter.
      if (error instanceof HoldfastRefused && ['invalid_state', 'unknown_offer'].includes(error.code))
        await shop.accounts.remember(account, undefined);
      throw error;
    });
    await shop.accounts.remember(account, undefined);
    const { session } = visit;
    if (session?.letter?.subject === subject) delete session.letter;
    return 'The offer is withdrawn; its link claims nothing any more.';
  });
}

const done = {
  suspend: 'The credential is suspended: nobody signs in with it until it is resumed.',
  resume: 'The credential works again.',
  revoke: 'The credential is revoked, for ever.',
};

/** Takes effect at once: sign-in is refused, sessions end. */
export function changeCredential(visit: Visit): Promise<Answer> {
  return deed(visit, async () => {
    const { credential = '', act } = visit.params;
    if (act !== 'suspend' && act !== 'resume' && act !== 'revoke') return 'There is nothing like that to do.';
    await visit.shop.credentials.change(credential, act, visit.form.get('reason') || undefined);
    return done[act];
  });
}

/** Holdfast first: should that fail, the account is still there to try again with. */
export async function eraseCustomer(visit: Visit): Promise<Answer> {
  const { shop, params } = visit;
  const subject = params.subject ?? '';
  const { issuer } = shop.settings;
  try {
    await shop.credentials.erase(subject);
  } catch (error) {
    if (!(error instanceof HoldfastRefused)) throw error;
    if (error.code !== 'unknown_subject') return failed(visit, subject, error);
  }
  await shop.accounts.remove(issuer, subject);
  shop.sessions.closeAllOf(issuer, subject);
  // The person at the keyboard may have been that customer.
  visit.session = shop.sessions.find(visit.sessionId);
  if (!visit.session) visit.sessionId = undefined;
  sessionOf(visit).notice = { kind: 'good', text: 'The customer is erased, here and at Holdfast.' };
  return redirect(visit, '/staff');
}

async function deed(visit: Visit, act: (subject: string) => Promise<string>): Promise<Answer> {
  const subject = visit.params.subject ?? '';
  try {
    sessionOf(visit).notice = { kind: 'good', text: await act(subject) };
  } catch (error) {
    if (!(error instanceof HoldfastRefused)) throw error;
    return failed(visit, subject, error);
  }
  return redirect(visit, `/staff/${encodeURIComponent(subject)}`);
}

function failed(visit: Visit, subject: string, error: HoldfastRefused): Answer {
  sessionOf(visit).notice = inWords(error);
  return redirect(visit, `/staff/${encodeURIComponent(subject)}`);
}

import { html } from '../web/html.ts';
import { keepSignIn, takeSignIn } from '../web/sessions.ts';
import { redirect, sessionOf, show, type Answer, type Visit } from '../web/visit.ts';

/** Leads to the issuer. What must be known when the customer comes back waits in the session. */
export async function signIn(visit: Visit): Promise<Answer> {
  const { url, state, begun } = await visit.shop.signIn.begin(visit.query.has('choose'));
  keepSignIn(sessionOf(visit), state, begun);
  return { redirectTo: url.href };
}

/** The redirect URI. */
export async function callback(visit: Visit): Promise<Answer> {
  const { shop, query, session } = visit;
  const state = query.get('state');
  const begun = takeSignIn(session, state);
  if (!begun) return session?.customer ? redirect(visit, '/account') : over(visit);
  const outcome = await shop.signIn.finish(query, state!, begun);
  if ('refused' in outcome) {
    process.stderr.write(`sign-in refused: ${outcome.reason}\n`);
    return outcome.refused === 'not_allowed' ? denied(visit) : failed(visit, outcome.reason);
  }
  const opened = shop.sessions.signIn(visit.sessionId, outcome.signedIn);
  visit.sessionId = opened.id;
  visit.session = opened.session;
  const { issuer, subject } = outcome.signedIn;
  const account = shop.accounts.find(issuer, subject);
  // Its link was used, or another passkey would not have come in.
  if (account?.offer && !account.offer.again) await shop.accounts.remember(account, undefined);
  return redirect(visit, '/account');
}

/**
 * Out of the shop first, whatever happens next; then out of Holdfast, so that the next sign-in asks for a passkey
 * again.
 */
export async function signOut(visit: Visit): Promise<Answer> {
  const { shop, session } = visit;
  shop.sessions.close(visit.sessionId);
  visit.sessionId = undefined;
  visit.session = undefined;
  if (!session?.customer) return redirect(visit, '');
  try {
    return { redirectTo: (await shop.signIn.signOutUrl(session.customer.idToken, 'signed-out')).href };
  } catch {
    return redirect(visit, '?state=signed-out');
  }
}

function over(visit: Visit): Answer {
  return problem(
    visit,
    400,
    'Please sign in again',
    'This sign-in took too long, was finished already, or began in another browser.',
  );
}

function denied(visit: Visit): Answer {
  return problem(
    visit,
    200,
    'You are not signed in',
    'You turned back, or your passkey is not valid for this shop at the moment: it may have run out, been paused, or been blocked. Try again, or ask our staff.',
  );
}

function failed(visit: Visit, reason: string): Answer {
  return problem(
    visit,
    400,
    'That sign-in could not be trusted',
    'What came back does not fit what we asked for, so we did not sign you in. Please try again.',
    reason,
  );
}

function problem(visit: Visit, status: number, title: string, words: string, reason?: string): Answer {
  const { path } = visit.shop.settings;
  return show(
    {
      title,
      body: html`<h1>${title}</h1>
<p>${words}</p>
<p class="deeds"><a class="button" href="${path}/sign-in">Sign in</a> <a class="button quiet" href="${path}">To the shop</a></p>
${reason && html`<p class="fine">For those who run this shop: <code>${reason}</code></p>`}`,
    },
    status,
  );
}

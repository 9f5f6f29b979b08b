import type { FastifyPluginAsync, FastifyReply } from 'fastify';
import { redirectTo, renderMessage } from '../server/page.ts';
import { addPendingSignIn, takePendingSignIn } from '../server/session.ts';

export const signInRoutes: FastifyPluginAsync = async (app) => {
  const { shop } = app;

  /** Redirects to the issuer, and stores in the session what the callback must match. */
  app.get<{ Querystring: { choose?: string } }>('/sign-in', async (request, reply) => {
    const { url, pending } = await shop.signIn.begin(request.query.choose !== undefined);
    addPendingSignIn(request.session, pending);
    return reply.redirect(url.href);
  });

  /** The redirect URI: the issuer redirects here, with a code or an error. */
  app.get<{ Querystring: { state?: string } }>('/callback', async (request, reply) => {
    const pending = takePendingSignIn(request.session, request.query.state);
    if (!pending) return request.session.customer ? redirectTo(reply, '/account') : showExpired(reply);
    const result = await shop.signIn.finish(new URL(request.url, shop.settings.origin).search, pending);
    if ('error' in result) {
      request.log.warn(`Sign-in failed: ${result.reason}`);
      return result.error === 'denied' ? showDenied(reply) : showInvalid(reply, result.reason);
    }
    // A new session id at sign-in prevents session fixation: an id that an attacker set before becomes useless.
    await request.session.regenerate();
    request.session.customer = result.customer;
    const account = shop.accounts.find(result.customer.issuer, result.customer.subject);
    // A customer who can sign in has used the claim link.
    if (account?.offer && !account.offer.isReplacement) await shop.accounts.setOffer(account, undefined);
    return redirectTo(reply, '/account');
  });

  /** Ends the shop's session first, so that it ends in any case, and then the session at Holdfast. */
  app.post('/sign-out', async (request, reply) => {
    const { customer } = request.session;
    await request.session.destroy();
    reply.clearCookie(`${shop.settings.app}-session`, { path: shop.settings.path });
    if (!customer) return redirectTo(reply, '');
    try {
      return reply.redirect((await shop.signIn.signOutUrl(customer.idToken, 'signed-out')).href, 303);
    } catch (error) {
      request.log.warn(`The session at Holdfast was not ended: ${String(error)}`);
      return redirectTo(reply, '?state=signed-out');
    }
  });
};

function showExpired(reply: FastifyReply): FastifyReply {
  return renderMessage(reply, 400, {
    title: 'Please sign in again',
    text: 'This sign-in took too long, was finished already, or began in another browser.',
    signInLink: true,
  });
}

function showDenied(reply: FastifyReply): FastifyReply {
  return renderMessage(reply, 200, {
    title: 'You are not signed in',
    text:
      'You turned back, or your passkey is not valid for this shop at the moment: it may have expired, ' +
      'been suspended, or been revoked. Try again, or ask our staff.',
    signInLink: true,
  });
}

function showInvalid(reply: FastifyReply, reason: string): FastifyReply {
  return renderMessage(reply, 400, {
    title: 'That sign-in could not be trusted',
    text: 'The response does not match the request, so we did not sign you in. Please try again.',
    signInLink: true,
    small: reason,
  });
}

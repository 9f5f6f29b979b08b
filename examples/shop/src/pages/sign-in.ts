import type { FastifyPluginAsync, FastifyReply } from 'fastify';
import type { SignInRefusal } from '../holdfast/sign-in.ts';
import { redirectTo, renderMessage } from '../server/page.ts';
import { addPendingSignIn, takePendingSignIn } from '../server/session.ts';

/** Signs in customers or staff, as the area says, and signs them out. */
export const signInRoutes: FastifyPluginAsync = async (app) => {
  const { area, shop } = app;

  /** Redirects to the issuer, and stores in the session what the callback must match. */
  app.get<{ Querystring: { choose?: string } }>('/sign-in', async (request, reply) => {
    const { url, pending } = await area.signIn.begin(request.query.choose !== undefined);
    addPendingSignIn(request.session, pending);
    return reply.redirect(url.href);
  });

  /** The redirect URI: the issuer redirects here, with a code or an error. */
  app.get<{ Querystring: { state?: string } }>('/callback', async (request, reply) => {
    const pending = takePendingSignIn(request.session, request.query.state);
    if (!pending) return request.session[area.kind] ? redirectTo(reply, area.home) : showExpired(reply);
    const result = await area.signIn.finish(new URL(request.url, shop.settings.origin).search, pending);
    if ('error' in result) {
      request.log.warn(`Sign-in failed: ${result.reason}`);
      return result.error === 'denied' ? showDenied(reply, result) : showInvalid(reply, result);
    }
    // A new session id at sign-in prevents session fixation: an id that an attacker set before becomes useless.
    await request.session.regenerate();
    request.session[area.kind] = result.signedIn;
    return redirectTo(reply, area.home);
  });

  /** Ends the shop's session first, so that it ends in any case, and then the session at Holdfast. */
  app.post('/sign-out', async (request, reply) => {
    const signedIn = request.session[area.kind];
    await request.session.destroy();
    reply.clearCookie(area.cookieName, { path: area.path });
    if (!signedIn) return redirectTo(reply, '');
    try {
      return reply.redirect((await area.signIn.signOutUrl(signedIn.idToken, 'signed-out')).href, 303);
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
    signInLink: 'Sign in',
  });
}

function showDenied(reply: FastifyReply, { reason, description }: SignInRefusal): FastifyReply {
  const { area, shop } = reply.server;
  if (area.kind === 'staff' && reason === 'access_denied')
    return renderMessage(reply, 403, {
      title: 'This area is not open to you',
      text:
        'You are not assigned to the staff area, or your account is deactivated. Ask an owner or an administrator ' +
        `of ${shop.name} to add you to a group that works here.`,
      signInLink: 'Sign in as somebody else',
      anotherPasskey: true,
      ...(description && { small: description }),
    });
  return renderMessage(reply, 200, {
    title: 'You are not signed in',
    text:
      area.kind === 'staff'
        ? 'You turned back before you were signed in. Nothing happened; try again whenever you like.'
        : 'You turned back, or your passkey is not valid for this shop at the moment: it may have expired, ' +
          'been suspended, or been revoked. Try again, or ask our staff.',
    signInLink: 'Sign in',
  });
}

function showInvalid(reply: FastifyReply, { reason }: SignInRefusal): FastifyReply {
  return renderMessage(reply, 400, {
    title: 'That sign-in could not be trusted',
    text: 'The response does not match the request, so we did not sign you in. Please try again.',
    signInLink: 'Sign in',
    small: reason,
  });
}

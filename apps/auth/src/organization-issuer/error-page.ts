import { errors, type ErrorOut, type KoaContextWithOIDC } from 'oidc-provider';
import { escapeHtml, htmlPage, htmlPagePolicy } from '@holdfast/platform';
import type { OrganizationProfile } from '../organizations/organizations.js';
import { issuerRequestOf } from '../request-context/issuer-request.js';

interface Message {
  title: string;
  text: string;
}

const signInEnded: Message = {
  title: 'This sign-in has ended',
  text: 'It took too long, was completed before, or began in another browser. Go back to the app and sign in again.',
};
const unavailable: Message = {
  title: 'We cannot do this right now',
  text: 'Something that we need is not reachable. Nothing is lost: go back to the app and try again in a moment.',
};
const invalidSignIn: Message = {
  title: 'This link does not lead to a sign-in',
  text:
    'The app that sent you here asked for something that we cannot do. ' +
    'That is a fault of the app and not yours: please tell the people who run it.',
};
const invalidSignOut: Message = {
  title: 'This link does not lead to a sign-out',
  text:
    'The app that sent you here asked for something that we cannot do, and you are still signed in. ' +
    'Please tell the people who run it.',
};

function messageFor(route: string, { error }: ErrorOut, cause: Error): Message {
  if (error === 'server_error' || error === 'temporarily_unavailable') return unavailable;
  if (route.startsWith('end_session')) return invalidSignOut;
  if (cause instanceof errors.SessionNotFound) return signInEnded;
  return invalidSignIn;
}

const pageRoutes = /^(authorization|resume|end_session)/;

/**
 * Shows an error to the person when the redirect URI cannot be trusted with it (RFC 6749 §4.1.2.1). Programs get JSON.
 */
export function renderError({ name }: OrganizationProfile) {
  return (ctx: KoaContextWithOIDC, out: ErrorOut, cause: Error): void => {
    const { route } = ctx.oidc;
    if (!pageRoutes.test(route) || ctx.accepts('json', 'html') !== 'html') {
      ctx.type = 'json';
      ctx.body = out;
      return;
    }
    const { title, text } = messageFor(route, out, cause);
    const details = [out.error, out.error_description, `request ${issuerRequestOf(ctx).info.id}`].filter(
      (line): line is string => typeof line === 'string',
    );
    const detailLines = details.map((line) => `<p>${escapeHtml(line)}</p>`).join('');
    ctx.type = 'html';
    ctx.set('Content-Security-Policy', htmlPagePolicy());
    ctx.body = htmlPage({
      organization: name,
      tone: 'stop',
      title,
      body:
        `<p>${escapeHtml(text)}</p>\n` +
        `<details><summary>For the people who run the app</summary>${detailLines}</details>`,
    });
  };
}

import { errors, type ErrorOut, type KoaContextWithOIDC } from 'oidc-provider';
import type { Language } from '@holdfast/contracts';
import { escapeHtml, htmlPage, htmlPagePolicy, organizationLinks } from '@holdfast/platform';
import type { OrganizationProfile } from '../organizations/organizations.js';
import { humanOf, issuerRequestOf } from '../request-context/issuer-request.js';
import { languageOf } from './request-language.js';

interface Message {
  title: string;
  text: string;
}

interface ErrorTexts {
  signInEnded: Message;
  unavailable: Message;
  invalidSignIn: Message;
  invalidSignOut: Message;
  details: string;
}

const errorTexts: Record<Language, ErrorTexts> = {
  en: {
    signInEnded: {
      title: 'This sign-in has ended',
      text:
        'It took too long, was completed before, or began in another browser. ' +
        'Go back to the app and sign in again.',
    },
    unavailable: {
      title: 'We cannot do this right now',
      text: 'Something that we need is not reachable. Nothing is lost: go back to the app and try again in a moment.',
    },
    invalidSignIn: {
      title: 'This link does not lead to a sign-in',
      text:
        'The app that sent you here asked for something that we cannot do. ' +
        'That is a fault of the app and not yours: please tell the people who run it.',
    },
    invalidSignOut: {
      title: 'This link does not lead to a sign-out',
      text:
        'The app that sent you here asked for something that we cannot do, and you are still signed in. ' +
        'Please tell the people who run it.',
    },
    details: 'For the people who run the app',
  },
  de: {
    signInEnded: {
      title: 'Diese Anmeldung ist beendet',
      text:
        'Sie hat zu lange gedauert, war schon abgeschlossen, oder sie begann in einem anderen Browser. Gehen Sie ' +
        'zurück zu der App, und melden Sie sich noch einmal an.',
    },
    unavailable: {
      title: 'Das geht gerade nicht',
      text:
        'Etwas, das wir dafür brauchen, ist nicht erreichbar. Nichts ist verloren: Gehen Sie zurück zu der App, und ' +
        'versuchen Sie es gleich noch einmal.',
    },
    invalidSignIn: {
      title: 'Dieser Link führt zu keiner Anmeldung',
      text:
        'Die App, von der Sie kommen, hat etwas verlangt, das wir nicht tun können. ' +
        'Das ist ein Fehler der App und nicht Ihrer: Bitte sagen Sie es denen, die sie betreiben.',
    },
    invalidSignOut: {
      title: 'Dieser Link führt zu keiner Abmeldung',
      text:
        'Die App, von der Sie kommen, hat etwas verlangt, das wir nicht tun können, und Sie sind noch angemeldet. ' +
        'Bitte sagen Sie es denen, die sie betreiben.',
    },
    details: 'Für die, die die App betreiben',
  },
};

function messageFor(texts: ErrorTexts, route: string, { error }: ErrorOut, cause: Error): Message {
  if (error === 'server_error' || error === 'temporarily_unavailable') return texts.unavailable;
  if (route.startsWith('end_session')) return texts.invalidSignOut;
  if (cause instanceof errors.SessionNotFound) return texts.signInEnded;
  return texts.invalidSignIn;
}

const pageRoutes = /^(authorization|resume|end_session)/;

/**
 * Shows an error to the person when the redirect URI cannot be trusted with it (RFC 6749 §4.1.2.1). Programs get JSON.
 */
export function renderError(organization: OrganizationProfile) {
  return (ctx: KoaContextWithOIDC, out: ErrorOut, cause: Error): void => {
    const { route } = ctx.oidc;
    if (!pageRoutes.test(route) || ctx.accepts('json', 'html') !== 'html') {
      ctx.type = 'json';
      ctx.body = out;
      return;
    }
    const language = languageOf(ctx);
    const texts = errorTexts[language];
    const { title, text } = messageFor(texts, route, out, cause);
    const request = issuerRequestOf(ctx);
    const details = [out.error, out.error_description, `request ${request.info.id}`].filter(
      (line): line is string => typeof line === 'string',
    );
    const detailLines = details.map((line) => `<p>${escapeHtml(line)}</p>`).join('');
    ctx.type = 'html';
    ctx.set('Content-Security-Policy', htmlPagePolicy(organization));
    ctx.body = htmlPage({
      organization,
      tone: 'stop',
      title,
      language,
      body: [
        `<p>${escapeHtml(text)}</p>`,
        ...(humanOf(request) === 'person' ? [] : [organizationLinks(organization, language)]),
        `<details><summary>${texts.details}</summary>${detailLines}</details>`,
      ].join('\n'),
    });
  };
}

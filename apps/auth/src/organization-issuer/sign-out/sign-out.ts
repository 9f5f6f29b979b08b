import type { KoaContextWithOIDC } from 'oidc-provider';
import type { Language } from '@holdfast/contracts';
import { escapeHtml, htmlPage, htmlPagePolicy, organizationLinks } from '@holdfast/platform';
import type { OrganizationProfile } from '../../organizations/organizations.js';
import { humanOf, issuerRequestOf } from '../../request-context/issuer-request.js';
import { cookieOptions } from '../issuer-cookies.js';
import { languageOf } from '../request-language.js';
import { audienceParameter, sessionCookieName } from '../session-audience.js';

type Page = (ctx: KoaContextWithOIDC) => void;

interface SignOutTexts {
  title: string;
  /** All of it is HTML. */
  requested: (app: string) => string;
  everyApp: (organization: string, isPerson: boolean) => string;
  stay: string;
  signOut: string;
  signedOut: string;
  close: string;
}

const signOutTexts: Record<Language, SignOutTexts> = {
  en: {
    title: 'Sign out?',
    requested: (app) => `${app} asks to sign you out. `,
    everyApp: (organization, isPerson) =>
      `You will be signed out of every app ${isPerson ? 'for the staff ' : ''}of ${organization} in this browser. `,
    stay: 'To stay signed in, just leave this page.',
    signOut: 'Sign out',
    signedOut: 'You are signed out',
    close: 'You can close this page.',
  },
  de: {
    title: 'Abmelden?',
    requested: (app) => `Sie kommen von ${app}, um sich abzumelden. `,
    everyApp: (organization, isPerson) =>
      `Sie werden in diesem Browser von allen Apps ${isPerson ? 'für das Team ' : ''}von ${organization} abgemeldet. `,
    stay: 'Um angemeldet zu bleiben, verlassen Sie einfach diese Seite.',
    signOut: 'Abmelden',
    signedOut: 'Sie sind abgemeldet',
    close: 'Sie können diese Seite schließen.',
  },
};

interface SignOutState {
  postLogoutRedirectUri?: string;
  state?: string;
}

/**
 * Signs the customer or person out if the request has an ID token of theirs, and asks for confirmation otherwise
 * (OpenID Connect RP-Initiated Logout §2). Without confirmation any link could sign them out.
 */
export function confirmSignOut(organization: OrganizationProfile, baseUrl: string) {
  const { shortId, name } = organization;
  return async (ctx: KoaContextWithOIDC, form: string): Promise<void> => {
    const request = issuerRequestOf(ctx);
    const session = ctx.oidc.session!;
    const hint = ctx.oidc.entities.IdTokenHint as { payload?: { sub?: string } } | undefined;
    if (hint?.payload?.sub === session.accountId) {
      request.subject = session.accountId!;
      await session.destroy();
      ctx.cookies.set(sessionCookieName(shortId, baseUrl, request), null, cookieOptions(baseUrl));
      return leave(ctx);
    }
    const { postLogoutRedirectUri } = stateOf(ctx);
    const app = ctx.oidc.client?.clientName;
    const isPerson = humanOf(request) === 'person';
    const language = languageOf(ctx);
    const texts = signOutTexts[language];
    // Browsers apply form-action also to the redirect after the form.
    ctx.set(
      'Content-Security-Policy',
      htmlPagePolicy(organization, ["'self'", ...(postLogoutRedirectUri ? [formTargetOf(postLogoutRedirectUri)] : [])]),
    );
    ctx.body = htmlPage({
      organization,
      tone: 'calm',
      title: texts.title,
      language,
      body:
        `<p>${app ? texts.requested(escapeHtml(app)) : ''}${texts.everyApp(escapeHtml(name), isPerson)}` +
        `${texts.stay}</p>\n` +
        `${isPerson ? ofPeople(form) : form}\n` +
        '<button class="control primary" type="submit" form="op.logoutForm" name="logout" value="yes">' +
        `${texts.signOut}</button>`,
    });
  };
}

/** The form that signs a person out: without a parameter, a customer's session is used if there is one. */
function ofPeople(form: string): string {
  return form.replace(/ action="([^"]+)"/, ` action="$1?${audienceParameter}=people"`);
}

/** The source for `form-action`: the origin, or the scheme if it is a private-use scheme (RFC 8252 §7.1). */
function formTargetOf(uri: string): string {
  const { origin, protocol } = new URL(uri);
  return origin === 'null' ? protocol : origin;
}

export function signedOutPage(organization: OrganizationProfile): Page {
  return (ctx) => {
    ctx.type = 'html';
    ctx.set('Content-Security-Policy', htmlPagePolicy(organization));
    const language = languageOf(ctx);
    const { signedOut: title, close } = signOutTexts[language];
    const links = humanOf(issuerRequestOf(ctx)) === 'person' ? '' : organizationLinks(organization, language);
    ctx.body = htmlPage({ organization, tone: 'good', title, language, body: `<p>${close}</p>\n${links}` });
  };
}

/** Redirects a browser without a session at once, instead of the library's page for confirmation. */
export async function leaveSignedOut(ctx: KoaContextWithOIDC): Promise<void> {
  const { session } = ctx.oidc;
  await session!.destroy();
  ctx.remove('Set-Cookie');
  leave(ctx);
}

function leave(ctx: KoaContextWithOIDC): void {
  const { postLogoutRedirectUri, state } = stateOf(ctx);
  const url = new URL(postLogoutRedirectUri ?? ctx.oidc.urlFor('end_session_success'));
  if (postLogoutRedirectUri && state !== undefined) url.searchParams.set('state', state);
  ctx.body = '';
  ctx.status = 303;
  ctx.redirect(url.href);
}

function stateOf(ctx: KoaContextWithOIDC): SignOutState {
  return ctx.oidc.session?.state ?? {};
}

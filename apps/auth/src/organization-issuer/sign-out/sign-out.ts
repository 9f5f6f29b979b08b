import type { KoaContextWithOIDC } from 'oidc-provider';
import { escapeHtml, htmlPage, htmlPagePolicy } from '@holdfast/platform';
import type { OrganizationProfile } from '../../organizations/organizations.js';
import { issuerRequestOf } from '../../request-context/issuer-request.js';
import { cookieNames, cookieOptions } from '../issuer-cookies.js';

type Page = (ctx: KoaContextWithOIDC) => void;

interface SignOutState {
  postLogoutRedirectUri?: string;
  state?: string;
}

/**
 * Called when somebody who is signed in is led here. Only an ID token of theirs proves that the app means them
 * (OpenID Connect RP-Initiated Logout §2); without it anybody's link could sign them out, so they are asked.
 */
export function confirmSignOut({ shortId, name }: OrganizationProfile, baseUrl: string) {
  return async (ctx: KoaContextWithOIDC, form: string): Promise<void> => {
    const session = ctx.oidc.session!;
    const hint = ctx.oidc.entities.IdTokenHint as { payload?: { sub?: string } } | undefined;
    if (hint?.payload?.sub === session.accountId) {
      issuerRequestOf(ctx).subject = session.accountId!;
      await session.destroy();
      ctx.cookies.set(cookieNames(shortId, baseUrl).session, null, cookieOptions(baseUrl));
      return leave(ctx);
    }
    const { postLogoutRedirectUri } = stateOf(ctx);
    const app = ctx.oidc.client?.clientName;
    // A browser holds the redirect after a form to form-action as well.
    ctx.set(
      'Content-Security-Policy',
      htmlPagePolicy(["'self'", ...(postLogoutRedirectUri ? [formTargetOf(postLogoutRedirectUri)] : [])]),
    );
    ctx.body = htmlPage({
      organization: name,
      tone: 'calm',
      title: 'Sign out?',
      body: `<p>${app ? `${escapeHtml(app)} asks to sign you out. ` : ''}You will be signed out of every app of ${escapeHtml(name)} in this browser. To stay signed in, just leave this page.</p>
${form}
<button class="control primary" type="submit" form="op.logoutForm" name="logout" value="yes">Sign out</button>`,
    });
  };
}

/** As `form-action` writes it: a private-use scheme (RFC 8252 §7.1) has no origin. */
function formTargetOf(uri: string): string {
  const { origin, protocol } = new URL(uri);
  return origin === 'null' ? protocol : origin;
}

export function signedOutPage({ name }: OrganizationProfile): Page {
  return (ctx) => {
    ctx.type = 'html';
    ctx.set('Content-Security-Policy', htmlPagePolicy());
    ctx.body = htmlPage({
      organization: name,
      tone: 'good',
      title: 'You are signed out',
      body: '<p>You can close this page.</p>',
    });
  };
}

/** Somebody who is not signed in need not be asked, and the library's page that asks itself is not needed. */
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

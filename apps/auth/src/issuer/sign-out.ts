import type { KoaContextWithOIDC } from 'oidc-provider';
import { escape, pageOf, policyOf } from '../pages/page.js';
import { cookieNames, cookieOptions } from './issuer-cookies.js';
import type { OrganizationProfile } from './organizations.js';
import { tokenRequestOf } from '../provider/token-request.js';

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
      tokenRequestOf(ctx).subject = session.accountId!;
      await session.destroy();
      ctx.cookies.set(cookieNames(shortId, baseUrl).session, null, cookieOptions(baseUrl));
      return leave(ctx);
    }
    const { postLogoutRedirectUri } = stateOf(ctx);
    const app = ctx.oidc.client?.clientName;
    // A browser holds the redirect after a form to form-action as well.
    ctx.set('Content-Security-Policy', policyOf(["'self'", ...(postLogoutRedirectUri ? [new URL(postLogoutRedirectUri).origin] : [])]));
    ctx.body = pageOf({
      who: name,
      title: 'Sign out?',
      body: `<p>${app ? `${escape(app)} asks to sign you out. ` : ''}You will be signed out of every app of ${escape(name)} in this browser. To stay signed in, just leave this page.</p>
${form}
<button type="submit" form="op.logoutForm" name="logout" value="yes">Sign out</button>`,
    });
  };
}

export function signedOutPage({ name }: OrganizationProfile): Page {
  return (ctx) => {
    ctx.type = 'html';
    ctx.set('Content-Security-Policy', policyOf());
    ctx.body = pageOf({ who: name, title: 'You are signed out', body: '<p>You can close this page.</p>' });
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

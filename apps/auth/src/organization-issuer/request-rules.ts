import { errors, type KoaContextWithOIDC } from 'oidc-provider';
import { issuerRequestOf } from '../request-context/issuer-request.js';

/** RFC 7636. Whether a request without a code challenge is refused; `nonceRule` has looked at the others. */
export function pkceRequired(ctx: KoaContextWithOIDC): boolean {
  return issuerRequestOf(ctx).client?.app.pkce !== 'optional';
}

/**
 * Runs when client and redirect URI are known to belong together, so that the app is told. Without PKCE nothing but the
 * nonce keeps a stolen code from being injected (RFC 9700 §2.1.1), so an app that made PKCE optional must send one.
 */
export function nonceRule(ctx: KoaContextWithOIDC, nonce: string | undefined): void {
  const { app } = issuerRequestOf(ctx).client!;
  if (app.pkce === 'optional' && !nonce)
    throw new errors.InvalidRequest('nonce is required of this app, since it made PKCE optional');
  const { scope } = ctx.oidc.params as { scope?: string };
  if (!scope?.split(' ').includes('openid')) throw new errors.InvalidScope('scope must include openid', scope ?? '');
}

/** Characters. The browser keeps a sign-in in one cookie; docs/connect.md says so. */
const maxState = 2048;

export function stateRule(_ctx: KoaContextWithOIDC, state: string | undefined): void {
  if (state !== undefined && state.length > maxState)
    throw new errors.InvalidRequest(`state is longer than ${maxState} characters`);
}

/** RFC 8252 §7.3: the port of a native app's loopback address is whichever was free. Of IP literals only (§8.3). */
const loopback = /^http:\/\/(?:127\.0\.0\.1|\[::1\])(?::\d{1,5})?(?=[/?]|$)/;

/** By exact comparison of strings (RFC 9700 §2.1): an address is what was registered, or it is another one. */
export function redirectAllowed(kind: string, registered: readonly string[], given: unknown): boolean {
  if (typeof given !== 'string') return false;
  if (registered.includes(given)) return true;
  if (kind !== 'native' || !loopback.test(given) || given.includes('#') || !URL.canParse(given)) return false;
  const hostOf = (uri: string) => loopback.exec(uri)![0].replace(/:\d{1,5}$/, '');
  const withoutPort = (uri: string) => hostOf(uri) + uri.slice(loopback.exec(uri)![0].length);
  return registered.some((uri) => loopback.test(uri) && withoutPort(uri) === withoutPort(given));
}

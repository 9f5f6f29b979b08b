import { errors, type KoaContextWithOIDC } from 'oidc-provider';
import { issuerRequestOf } from '../request-context/issuer-request.js';

/** Whether a request without a code challenge is refused (RFC 7636). */
export function pkceRequired(ctx: KoaContextWithOIDC): boolean {
  const { pkce = 'required' } = issuerRequestOf(ctx).client?.app ?? {};
  return pkce === 'required';
}

/**
 * Requires a nonce from an app that made PKCE optional: without PKCE only the nonce prevents the injection of a stolen
 * code (RFC 9700 §2.1.1). For `optional_without_nonce`, which only the operator sets, neither is required. Runs after
 * the redirect URI was checked, so that the error goes to the app.
 */
export function nonceRule(ctx: KoaContextWithOIDC, nonce: string | undefined): void {
  const { app } = issuerRequestOf(ctx).client!;
  if (app.pkce === 'optional' && !nonce)
    throw new errors.InvalidRequest('nonce is required of this app, since it made PKCE optional');
  const { scope } = ctx.oidc.params as { scope?: string };
  if (!scope?.split(' ').includes('openid')) throw new errors.InvalidScope('scope must include openid', scope ?? '');
}

/** The browser stores a sign-in in one cookie. docs/connect.md names the limit. */
const maxStateLength = 2048;

export function stateRule(_ctx: KoaContextWithOIDC, state: string | undefined): void {
  if (state !== undefined && state.length > maxStateLength)
    throw new errors.InvalidRequest(`state is longer than ${maxStateLength} characters`);
}

/** Access tokens are for the app itself and for userinfo: a request for another audience is refused (RFC 8707 §2). */
export function refuseResource(): never {
  throw new errors.InvalidTarget('access tokens of this issuer are for the app alone: leave out resource');
}

/** The port of a native app's loopback address may vary (RFC 8252 §7.3), for IP literals only (§8.3). */
const loopback = /^http:\/\/(?:127\.0\.0\.1|\[::1\])(?::\d{1,5})?(?=[/?]|$)/;

/** Compares strings exactly (RFC 9700 §2.1), except for the port of a native app's loopback address. */
export function redirectAllowed(kind: string, registered: readonly string[], given: unknown): boolean {
  if (typeof given !== 'string') return false;
  if (registered.includes(given)) return true;
  if (kind !== 'native' || !loopback.test(given) || given.includes('#') || !URL.canParse(given)) return false;
  const hostOf = (uri: string) => loopback.exec(uri)![0].replace(/:\d{1,5}$/, '');
  const withoutPort = (uri: string) => hostOf(uri) + uri.slice(loopback.exec(uri)![0].length);
  return registered.some((uri) => loopback.test(uri) && withoutPort(uri) === withoutPort(given));
}

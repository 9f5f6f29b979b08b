import type { EventEmitter } from 'node:events';
import { compactVerify, importJWK } from 'jose';
import { errors, Provider, type Configuration, type KoaContextWithOIDC } from 'oidc-provider';
import type { CheckedJwk } from '@holdfast/platform';
import { TooManyRequests, type ClientLimits } from '../clients/client-limits.js';
import { issuerRequestOf } from '../request-context/issuer-request.js';

type AssertionRule = NonNullable<Configuration['assertJwtClientAuthClaimsAndHeader']>;

/** Longer than any client needs, and short enough to remember each assertion until it expires. */
const maxAssertionSeconds = 300;
export const maxIdLength = 200;
/** By how many seconds the clock of a client may differ from ours. */
export const clockToleranceSeconds = 10;
/** RFC 7523bis has a type of its own; libraries send none or JWT. Proofs and access tokens have other types. */
const types = [undefined, 'JWT', 'client-authentication+jwt'];

/** 401 that says which rule a client assertion breaks. Its signature has been verified. */
class InvalidAssertion extends errors.OIDCProviderError {
  constructor(rule: string) {
    super(401, 'invalid_client');
    this.error_description = `client authentication failed: ${rule}`;
    this.expose = true;
  }
}

/**
 * What the library leaves open about a client assertion (RFC 7523 §3) whose signature it has verified. `aud` must be
 * the issuer identifier alone: with a list, or with the address of an endpoint, an assertion for another authorization
 * server could be used here (RFC 9700 §4.4, FAPI 2.0). It also notes which key the client used.
 */
export function assertionRule(issuer: string): AssertionRule {
  return async (ctx, { aud, exp, iat, jti }, { typ, crit, b64 }) => {
    const now = Date.now() / 1000;
    // Extensions change what is signed, and we know none (RFC 7515 §4.1.11). An unencoded payload is no JWT (RFC 7797
    // §7): the library would verify one text and read another.
    if (crit !== undefined || b64 !== undefined)
      throw new InvalidAssertion('the header of the client assertion must have neither crit nor b64');
    if (aud !== issuer) throw new InvalidAssertion(`aud of the client assertion must be ${issuer}, as a string`);
    if (Number(exp) - now > maxAssertionSeconds + clockToleranceSeconds)
      throw new InvalidAssertion(`exp of the client assertion must be at most ${maxAssertionSeconds} s away`);
    // The library checks it only without `exp`. A JWT from the future was signed for later use, by a stolen session.
    if (typeof iat === 'number' && iat - now > clockToleranceSeconds)
      throw new InvalidAssertion('iat of the client assertion must not be in the future');
    if (typeof jti === 'string' && jti.length > maxIdLength)
      throw new InvalidAssertion(`jti of the client assertion must have at most ${maxIdLength} characters`);
    if (!types.includes(typ as string | undefined))
      throw new InvalidAssertion('typ of the client assertion must be JWT or client-authentication+jwt');
    const request = issuerRequestOf(ctx);
    request.assertionKey = await usedKey(ctx, request.clientKeys ?? []);
  };
}

/** The id of the key that verifies the assertion of this request. The library does not say which one it was. */
async function usedKey(ctx: KoaContextWithOIDC, keys: readonly CheckedJwk[]): Promise<string> {
  const assertion = String(ctx.oidc.params!.client_assertion);
  for (const { key, id } of keys) {
    try {
      await compactVerify(assertion, async ({ alg, kid }) => {
        if (kid !== undefined && kid !== key.kid) throw new Error('another key');
        return importJWK({ ...key }, alg);
      });
      return id;
    } catch {
      continue;
    }
  }
  throw new errors.InvalidClientAuth('no key of the client verifies the assertion');
}

/** Limits how often client assertions may fail, as for wrong client secrets: beyond it the response is 429, not 401. */
export function countFailedAssertions(provider: Provider, limits: ClientLimits): void {
  const onError = (ctx: KoaContextWithOIDC, { error }: { error?: string }): void => {
    if (error !== 'invalid_client' || ctx.oidc.params?.client_assertion === undefined) return;
    const { network, presentedClientId } = issuerRequestOf(ctx);
    try {
      limits.countWrongSecret(network, presentedClientId);
    } catch (tooMany) {
      if (!(tooMany instanceof TooManyRequests)) throw tooMany;
      ctx.set(tooMany.headers);
      ctx.status = tooMany.statusCode;
      ctx.body = { error: tooMany.error, error_description: tooMany.error_description };
    }
  };
  for (const endpoint of ['grant', 'revocation', 'introspection', 'pushed_authorization_request'])
    (provider as EventEmitter).on(`${endpoint}.error`, onError);
}

import { hkdfSync } from 'node:crypto';
import { errors, Provider, type Configuration } from 'oidc-provider';
import type { ClientRecord } from '../clients/client-record.js';

type DPoP = NonNullable<NonNullable<Configuration['features']>['dPoP']>;

/**
 * DPoP (RFC 9449) with server nonces, which all replicas derive from the same key. A proof without a nonce must be
 * fresh; a client with a wrong clock gets a nonce and tries again with it.
 */
export function dpopFeature(issuer: string, key: Buffer): DPoP {
  const nonceSecret = Buffer.from(hkdfSync('sha256', key, '', `dpop nonces/${issuer}`, 32));
  return { enabled: true, nonceSecret, allowReplay: false };
}

/** Refuses a request for tokens without a proof if the app takes only bound tokens. @throws InvalidDpopProof */
export function requireProof({ app }: ClientRecord): void {
  const { ctx } = Provider;
  if (app.requireDpop && ctx?.oidc.route === 'token' && ctx.get('dpop') === '')
    throw new errors.InvalidDpopProof(
      'this app gets only tokens that are bound to a key: send a DPoP proof (RFC 9449)',
    );
}

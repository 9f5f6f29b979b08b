import { Injectable } from '@nestjs/common';
import { decodeProtectedHeader } from 'jose';
import { errors, Provider } from 'oidc-provider';
import { checkPublicJwk, Outbound, type CheckedJwk } from '@holdfast/platform';
import type { ClientRecord } from '../clients/client-record.js';
import { KeysUnavailable, RemoteKeys } from './remote-keys.js';

/** 401 that says why the keys of a client could not be used. */
class UnusableClientKeys extends errors.OIDCProviderError {
  constructor(problem: string) {
    super(401, 'invalid_client');
    this.error_description =
      'client authentication failed: the keys at the jwks_uri of the app cannot be used: ' +
      problem.replace(/\.$/, '').replaceAll('"', "'");
    this.expose = true;
  }
}

const noKeys: readonly CheckedJwk[] = [];

/** Public keys of clients, with which they authenticate (RFC 7523). */
@Injectable()
export class ClientKeys {
  private readonly remote: RemoteKeys;
  private readonly inline = new WeakMap<ClientRecord, readonly CheckedJwk[]>();

  constructor(outbound: Outbound) {
    this.remote = new RemoteKeys(outbound);
  }

  /**
   * The keys of a client for the current request: none unless it presents a client assertion, and none of a client that
   * is refused. The same array is returned until the keys change. @throws UnusableClientKeys
   */
  async of(record: ClientRecord): Promise<readonly CheckedJwk[]> {
    const { app, refused } = record;
    const assertion = presentedAssertion();
    if (app.tokenEndpointAuthMethod !== 'private_key_jwt' || refused || assertion === undefined) return noKeys;
    if (app.jwksUri === undefined) return this.inlineKeys(record);
    try {
      return await this.remote.find(app.jwksUri, keyIdOf(assertion));
    } catch (error) {
      if (error instanceof KeysUnavailable) throw new UnusableClientKeys(error.message);
      throw error;
    }
  }

  private inlineKeys(record: ClientRecord): readonly CheckedJwk[] {
    let keys = this.inline.get(record);
    if (!keys) {
      keys = (record.app.jwks?.keys ?? []).map(checkPublicJwk).filter((key): key is CheckedJwk => !('issue' in key));
      this.inline.set(record, keys);
    }
    return keys;
  }
}

function presentedAssertion(): string | undefined {
  const { client_assertion: assertion } = (Provider.ctx?.oidc.params ?? {}) as { client_assertion?: unknown };
  return typeof assertion === 'string' ? assertion : undefined;
}

function keyIdOf(assertion: string): string | undefined {
  try {
    return decodeProtectedHeader(assertion).kid;
  } catch {
    return undefined;
  }
}

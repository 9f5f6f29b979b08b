import type { Client, ClientMetadata, Provider } from 'oidc-provider';
import type { CheckedJwk } from '@holdfast/platform';
import type { ClientRecord } from './client-record.js';

type Keys = readonly CheckedJwk[];

/**
 * Clients of oidc-provider, each built once per record of directory and set of keys. The library caches only a hundred.
 */
export class ProviderClients {
  private readonly build: (metadata: ClientMetadata) => Client;
  private readonly built = new WeakMap<ClientRecord, { client: Client; keys: Keys }>();

  constructor(
    provider: Provider,
    private readonly metadataOf: (record: ClientRecord, keys: Keys) => ClientMetadata,
  ) {
    // The published types lack the constructor's argument.
    const ProviderClient = provider.Client as unknown as new (metadata: ClientMetadata) => Client;
    this.build = (metadata) => new ProviderClient(metadata);
  }

  of(record: ClientRecord, keys: Keys): Client {
    const existing = this.built.get(record);
    if (existing?.keys === keys) return existing.client;
    const client = this.build(this.metadataOf(record, keys));
    this.built.set(record, { client, keys });
    return client;
  }

  /** A client that no record describes. */
  unknown(metadata: ClientMetadata): Client {
    return this.build(metadata);
  }
}

/** How a confidential client authenticates. One with keys has some while it presents an assertion, and no secret. */
export function confidentialAuthentication(keys: Keys): Partial<ClientMetadata> {
  return keys.length > 0
    ? { token_endpoint_auth_method: 'private_key_jwt', jwks: { keys: keys.map(({ key }) => ({ ...key })) } }
    : { token_endpoint_auth_method: 'client_secret_basic', client_secret: 'never compared' };
}

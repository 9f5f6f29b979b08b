import { hubClientId, hubRedirectUri } from '@holdfast/contracts';
import type { ClientRecord } from './client-record.js';

/**
 * The client of a hub, whatever is stored: its one redirect URI follows from the base URL, and without secrets and keys
 * the token endpoint authenticates nobody as the hub. Its codes are good for hub sessions only.
 */
export function withHubSettings(record: ClientRecord, baseUrl: string): ClientRecord {
  const { clientId, org, name, displayName, disabled, apiVersion, version, createdAt } = record.app;
  if (clientId !== hubClientId(org)) return record;
  return {
    ...record,
    scopes: [],
    secrets: [],
    app: {
      clientId,
      org,
      name,
      ...(displayName !== undefined && { displayName }),
      kind: 'web',
      audience: 'people',
      redirectUris: [hubRedirectUri(baseUrl, org)],
      postLogoutRedirectUris: [],
      origins: [],
      refreshTokens: false,
      pkce: 'required',
      scopes: [],
      disabled,
      apiVersion,
      version,
      createdAt,
    },
  };
}

import { expect, test } from '@jest/globals';
import type { App } from '@holdfast/contracts';
import type { ClientRecord } from './client-record.js';
import { withHubSettings } from './hub-client.js';

const app: App = {
  clientId: 'hub_acme',
  org: 'acme',
  name: 'hub_acme',
  displayName: 'Hub',
  kind: 'web',
  audience: 'people',
  redirectUris: [],
  postLogoutRedirectUris: [],
  origins: [],
  refreshTokens: false,
  pkce: 'required',
  scopes: [],
  disabled: false,
  apiVersion: '2026-11-01',
  version: 1,
  createdAt: '2026-11-21T09:30:00.000Z',
};
const record: ClientRecord = { app, scopes: [], secrets: [], refused: false, rateLimits: {} };

test('the hub has one redirect URI, which follows from the base URL', () => {
  expect(withHubSettings(record, 'https://id.example').app.redirectUris).toEqual([
    'https://id.example/hub/acme/callback',
  ]);
});

test('nothing that is stored gives the hub another redirect URI, a secret, a key or a scope', () => {
  const tampered: ClientRecord = {
    ...record,
    scopes: ['users:read'],
    secrets: [{ id: 'sec_1', hash: Buffer.alloc(32) }],
    app: {
      ...app,
      redirectUris: ['https://evil.example/callback'],
      backchannelLogoutUri: 'https://evil.example/logout',
      tokenEndpointAuthMethod: 'private_key_jwt',
      jwksUri: 'https://evil.example/jwks',
      pkce: 'optional',
      refreshTokens: true,
      scopes: ['users:read'],
    },
  };
  expect(withHubSettings(tampered, 'https://id.example')).toEqual(withHubSettings(record, 'https://id.example'));
});

test('other apps, and one with the id of the hub of another organization, are left alone', () => {
  for (const clientId of ['app_1', 'hub_globex']) {
    const other = { ...record, app: { ...app, clientId } };
    expect(withHubSettings(other, 'https://id.example')).toBe(other);
  }
});

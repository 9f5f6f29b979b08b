import { describe, expect, test } from '@jest/globals';
import {
  createApp,
  createOrganization,
  createSecret,
  disableApp,
  getApp,
  getClient,
  grantOperations,
  listSecrets,
} from '@holdfast/contracts';
import { keyedHash } from '@holdfast/platform';
import { database, events, newApp, pepper, request, withDirectory } from '../directory.fixture.js';

withDirectory();

describe('apps', () => {
  test('a confidential app gets a secret, of which only the keyed hash is stored', async () => {
    const { app, secretId, clientSecret } = await newApp('web', ['offers:write']);
    const client = await request(getClient, { clientId: app.clientId }, 'auth');
    expect(client.secrets).toEqual([{ id: secretId, hash: keyedHash(pepper, clientSecret!).toString('base64url') }]);
    const stored = JSON.stringify([
      await database.query('SELECT * FROM directory.app_secret'),
      await database.query('SELECT * FROM directory.outbox'),
      events,
    ]);
    expect(stored).not.toContain(clientSecret);
  });

  test('a public app gets no secret and can be granted no operation', async () => {
    const { app, clientSecret } = await newApp('spa');
    expect(clientSecret).toBeUndefined();
    await expect(request(createSecret, { clientId: app.clientId })).rejects.toMatchObject({ code: 'invalid_state' });
    await expect(
      request(grantOperations, { clientId: app.clientId, operations: ['offers:write'] }),
    ).rejects.toMatchObject({
      code: 'not_grantable',
    });
  });

  test('a name is unique within its organization only', async () => {
    await request(createApp, { org: 'acme', name: 'twice', kind: 'web' });
    await expect(request(createApp, { org: 'acme', name: 'twice', kind: 'web' })).rejects.toMatchObject({
      code: 'conflict',
    });
    await request(createOrganization, { shortId: 'globex', name: 'Globex' });
    await request(createApp, { org: 'globex', name: 'twice', kind: 'web' });
  });

  test('commands and queries about an unknown app answer unknown_app', async () => {
    for (const [contract, rest] of [
      [getApp, {}],
      [disableApp, { disabled: true }],
      [createSecret, {}],
      [listSecrets, {}],
    ] as const) {
      await expect(request(contract as typeof getApp, { clientId: 'app_x', ...rest })).rejects.toMatchObject({
        code: 'unknown_app',
      });
    }
  });
});

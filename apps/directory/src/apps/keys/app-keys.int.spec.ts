import { generateKeyPairSync } from 'node:crypto';
import { describe, expect, test } from '@jest/globals';
import { createApp, createSecret, getClient, listSecrets, updateApp } from '@holdfast/contracts';
import { testContext } from '@holdfast/testing';
import { database, entryOf, eventOf, newApp, newName, request, withDirectory } from '../../directory.fixture.js';
import { keyIds } from './key-settings.js';

withDirectory();

const newKey = (kid: string) => ({ ...generateKeyPairSync('ed25519').publicKey.export({ format: 'jwk' }), kid });
const byKey = { tokenEndpointAuthMethod: 'private_key_jwt' } as const;
const create = (jwks: { keys: object[] }, more: object = {}) =>
  request(createApp, { org: 'acme', name: newName('keys'), kind: 'service', ...byKey, jwks, ...more } as never);

describe('an app with private_key_jwt', () => {
  test('gets no secret and can have none, and auth gets its public keys', async () => {
    const keys = [newKey('1')];
    const { app, clientSecret } = await create({ keys: [{ ...keys[0], x5c: ['dropped'] }] });
    expect(clientSecret).toBeUndefined();
    const client = await request(getClient, { clientId: app.clientId }, 'auth');
    expect(client).toMatchObject({ secrets: [], app: { ...byKey, jwks: { keys }, requireDpop: false } });
    expect(client.app.jwks!.keys[0]).not.toHaveProperty('x5c');
    await expect(request(createSecret, { clientId: app.clientId })).rejects.toMatchObject({ code: 'invalid_state' });
  });

  test('is refused with a private key, of which nothing is stored', async () => {
    const secret = generateKeyPairSync('ed25519').privateKey.export({ format: 'jwk' });
    await expect(create({ keys: [secret] })).rejects.toMatchObject({
      code: 'invalid_request',
      errors: [{ pointer: '#/jwks/keys/0', detail: expect.stringContaining('public key alone') }],
    });
    expect(JSON.stringify(await database.query('SELECT * FROM directory.app'))).not.toContain(secret.d);
  });

  test.each(['http://127.0.0.1/jwks', 'https://169.254.169.254/latest', 'https://localhost/jwks', 'https://[::1]/'])(
    'is refused with its keys at %s',
    async (jwksUri) => {
      await expect(create(undefined as never, { jwksUri })).rejects.toMatchObject({
        code: 'invalid_request',
        errors: [{ pointer: '#/jwksUri' }],
      });
    },
  );

  test('loses its secrets and all earlier tokens when it begins to use keys', async () => {
    const { app, secretId } = await newApp('service');
    const { version } = await request(updateApp, { clientId: app.clientId, ...byKey, jwks: { keys: [newKey('1')] } });
    expect(await request(listSecrets, { clientId: app.clientId })).toEqual({ items: [] });
    expect(await entryOf(app.clientId)).toMatchObject({ minVersion: version, revokedSecrets: [secretId] });
  });

  test('loses the tokens of a key that was removed, and keeps those of another', async () => {
    const [first, second] = [newKey('1'), newKey('2')];
    const { app } = await create({ keys: [first, second] });
    const { clientId } = app;
    const [firstId, secondId] = keyIds(app.jwks);
    await request(updateApp, { clientId, jwks: { keys: [second] } });
    expect(await entryOf(clientId)).toMatchObject({ minVersion: 0, revokedSecrets: [firstId] });
    // A removal by mistake is taken back.
    await request(updateApp, { clientId, jwks: { keys: [first] } });
    expect(await entryOf(clientId)).toMatchObject({ minVersion: 0, revokedSecrets: [secondId] });
  });

  test('changes of its keys are in its audit record by their ids', async () => {
    const { app } = await create({ keys: [newKey('1')] });
    const context = { actor: { type: 'operator', id: 'operator' } };
    const with2 = testContext(context as never);
    const key = newKey('2');
    const changed = await request(updateApp, { clientId: app.clientId, jwks: { keys: [key] } }, 'operator', with2);
    const { audit } = await eventOf(with2.auditId);
    expect(audit!.changes).toEqual({ jwks: { from: keyIds(app.jwks), to: keyIds(changed.jwks) } });
  });

  test('database constraints refuse keys beside secrets, and keys of a public app', async () => {
    const { app } = await newApp('spa');
    const set = (columns: string) =>
      database.query(`UPDATE directory.app SET ${columns} WHERE client_id = '${app.clientId}'`);
    await expect(set(`jwks = '{"keys":[]}'`)).rejects.toThrow('app_keys');
    await expect(set(`token_endpoint_auth_method = 'private_key_jwt', jwks_uri = 'https://x.example'`)).rejects.toThrow(
      'app_keys_kind',
    );
  });
});

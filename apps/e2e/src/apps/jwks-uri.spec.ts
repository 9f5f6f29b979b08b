// Apps whose public keys are at an address of their own (`jwks_uri`).
import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { eventually } from '@holdfast/testing';
import { basic } from '../clients/client.ts';
import { stack } from '../clients/under-test.ts';
import type { App } from '../stack/stack.ts';
import { KeyServer } from './key-server.fixture.ts';
import { assertionOf, byKey, createService, newKey, requestTokenWith, withKeyFiles, type Key } from './keys.fixture.ts';

withKeyFiles();

let org: string;
let server: KeyServer;
/** Its keys were loaded before the other tests, so that the test of their rotation need not wait as long. */
let rotated: App;
let [key, nextKey] = [] as unknown as [Key, Key];

beforeAll(async () => {
  server = new KeyServer();
  await server.open();
  org = await stack.newOrganization();
  [key, nextKey] = await Promise.all([newKey('ES256'), newKey('EdDSA')]);
  server.serve('/rotated', key.publicJwk);
  rotated = await newApp('/rotated');
  expect(await statuses(rotated, key)).toEqual(Array(6).fill(200));
});
afterAll(() => server.close());

/** A service app whose keys are at this path. */
async function newApp(path: string): Promise<App> {
  const uri = server.urlOf(path);
  return (await createService(org, `keys ${randomUUID()}`, ...byKey('--jwks-uri', uri))).app;
}

let requests = 0;
const requestToken = async (app: App, by = key, header: object = {}) =>
  requestTokenWith(await assertionOf(app, by, {}, header), undefined, (requests += 1));
const statuses = (app: App, by: Key) =>
  Promise.all(Array.from({ length: 6 }, async () => (await requestToken(app, by)).status));

describe('the keys at a jwks_uri', () => {
  it('authenticate the app, and are loaded once by each replica', async () => {
    server.serve('/many', key.publicJwk);
    const app = await newApp('/many');
    expect(await statuses(app, key)).toEqual(Array(6).fill(200));
    expect(await statuses(app, key)).toEqual(Array(6).fill(200));
    expect(server.requests('/many')).toBeLessThanOrEqual(2);
  });

  it('are not loaded again for each unknown key id, and no other key of the set is tried for it', async () => {
    server.serve('/unknown', key.publicJwk);
    const app = await newApp('/unknown');
    const startedAtMs = performance.now();
    for (let i = 0; i < 8; i += 1)
      expect(await requestToken(app, key, { kid: randomUUID() })).toMatchObject({
        status: 401,
        body: { error: 'invalid_client' },
      });
    // Each of the two replicas at most once in ten seconds.
    const seconds = (performance.now() - startedAtMs) / 1000;
    expect(server.requests('/unknown')).toBeLessThanOrEqual(2 * (2 + Math.floor(seconds / 10)));
  });

  const failures: [string, Parameters<KeyServer['respond']>[1], RegExp][] = [
    ['are missing', { status: 404 }, /status 404/],
    [
      'are at a redirect',
      { status: 302, headers: { location: 'http://169.254.169.254/' } },
      /redirects are not follow/,
    ],
    ['are no JSON', { status: 200, body: '<html>' }, /not JSON/],
    ['are no set', { status: 200, body: '[]' }, /not a JSON Web Key Set/],
    ['are of a secret', { status: 200, body: '{"keys":[{"kty":"oct","k":"c2VjcmV0"}]}' }, /no public key/],
    ['are endless', { status: 200, body: `{"keys":[],"x":"${'x'.repeat(70_000)}"}` }, /too large/],
    ['never come', { hangs: true }, /cannot be used/],
  ];
  it.each(failures)('refuse the app when they %s, with the reason', async (what, response, reason) => {
    const path = `/${encodeURIComponent(what)}`;
    server.respond(path, response);
    const app = await newApp(path);
    for (let i = 0; i < 2; i += 1) {
      const { status, body, milliseconds } = await requestToken(app);
      expect([status, body.error]).toEqual([401, 'invalid_client']);
      expect(body.error_description).toMatch(/the keys at the jwks_uri of the app cannot be used/);
      expect(body.error_description).toMatch(reason);
      expect(milliseconds).toBeLessThan(20_000);
    }
    // Neither does a secret open what the keys do not.
    const authorization = basic({ ...app, clientSecret: 'x'.repeat(43) });
    const response2 = await fetch(`${stack.baseUrl}/oauth2/token`, {
      method: 'POST',
      headers: { authorization },
      body: new URLSearchParams({ grant_type: 'client_credentials', scope: 'issued:read' }),
    });
    expect(response2.status).toBe(401);
  });

  it('are rotated there: a new key works within seconds, and the old one no longer', async () => {
    server.serve('/rotated', key.publicJwk, nextKey.publicJwk);
    await eventually(async () => expect(await statuses(rotated, nextKey)).toEqual(Array(6).fill(200)));
    expect(await statuses(rotated, key)).toEqual(Array(6).fill(200));
    server.serve('/rotated', nextKey.publicJwk);
    // An unknown key id makes each replica load the set again, every ten seconds at most.
    await eventually(async () => {
      await Promise.all(Array.from({ length: 4 }, () => requestToken(rotated, key, { kid: randomUUID() })));
      expect(await statuses(rotated, key)).toEqual(Array(6).fill(401));
    });
    expect(await statuses(rotated, nextKey)).toEqual(Array(6).fill(200));
  });

  it('refuse the app when nobody listens there, and work as soon as somebody does', async () => {
    const app = await newApp('/later');
    server.close();
    const { status, body } = await requestToken(app);
    expect([status, body.error]).toEqual([401, 'invalid_client']);
    expect(body.error_description).toMatch(/the keys at the jwks_uri of the app cannot be used/);
    // No detail of the network: not whether a port is open, nor an address.
    expect(body.error_description).not.toMatch(/ECONN|127\.0\.0\.1|::1/);
    server = new KeyServer();
    await server.open();
    server.serve('/later', key.publicJwk);
    await eventually(async () => expect(await statuses(app, key)).toEqual(Array(6).fill(200)));
  });
});

// Keys, RP ID and own sessions, which people reach at the hub.
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { roleNames, type IssuerKey, type OwnRpId, type PersonSession } from '@holdfast/contracts';
import { eventually } from '@holdfast/testing';
import { assertionOf, newKey } from '../apps/keys.fixture.ts';
import { Client } from '../clients/client.ts';
import { closeConnections, exchange, type Problem } from '../clients/http.ts';
import { stack } from '../clients/under-test.ts';
import { HubUser } from './person.fixture.ts';

let org: string;
let owner: HubUser;
let admin: HubUser;
beforeAll(async () => {
  org = await stack.newOrganization();
  [owner, admin] = [await HubUser.make(org, ['owner']), await HubUser.make(org, ['admin'])];
});
afterAll(closeConnections);

const outcome = ({ status, body }: { status: number; body: unknown }) =>
  `${status} ${(body as Problem | undefined)?.code ?? ''}`.trim();
const published = async () => {
  const response = await fetch(`${stack.baseUrl}/o/${org}/jwks`);
  return ((await response.json()) as { keys: { kid: string }[] }).keys.map(({ kid }) => kid).sort();
};

describe('signing keys', () => {
  it('are rotated once at a time, and the new ones are published before they sign', async () => {
    const before = (await owner.call<{ keys: IssuerKey[] }>('GET', '/keys')).body.keys;
    expect(before.map(({ alg, state }) => `${alg} ${state}`).sort()).toEqual(['ES256 signing', 'RS256 signing']);
    for (const overlapSeconds of [0, 599, 604_801, 600.5, '3600', null])
      expect([overlapSeconds, outcome(await owner.call('POST', '/keys/rotation', { overlapSeconds }))]).toEqual([
        overlapSeconds,
        '422 invalid_request',
      ]);
    const rotations = await Promise.all(
      Array.from({ length: 10 }, () => admin.call<{ keys: IssuerKey[] }>('POST', '/keys/rotation', {})),
    );
    expect(rotations.map(outcome).sort()).toEqual(['200', ...Array<string>(9).fill('409 invalid_state')]);
    const { keys } = rotations.find(({ status }) => status === 200)!.body;
    expect(keys.map(({ alg, state }) => `${alg} ${state}`).sort()).toEqual([
      ...['ES256 next', 'ES256 signing', 'RS256 next', 'RS256 signing'],
    ]);
    const signsFromMs = Date.parse(keys.find(({ state }) => state === 'next')!.signsFrom);
    expect(Math.abs(signsFromMs - Date.now() - 3_600_000)).toBeLessThan(120_000);
    await eventually(async () => expect(await published()).toEqual(keys.map(({ kid }) => kid).sort()));
    expect((await owner.call<{ keys: IssuerKey[] }>('GET', '/keys')).body.keys).toEqual(keys);
    const { body } = await owner.call<{ items: { actor: { id: string } }[] }>(
      'GET',
      '/audit/events?action=key.rotate&outcome=success',
    );
    expect(body.items.map(({ actor }) => actor.id)).toEqual([admin.id]);
  });

  it('and RP IDs are out of reach of other roles, of apps and of other organizations', async () => {
    const requests = [
      ['GET', '/keys', undefined],
      ['POST', '/keys/rotation', {}],
      ['GET', '/rp-id', undefined],
      ['PATCH', '/rp-id', { rpId: null }],
      ['DELETE', '/rp-id/earlier', undefined],
    ] as const;
    for (const role of roleNames.filter((name) => name !== 'owner' && name !== 'admin')) {
      const person = await HubUser.make(org, [role]);
      for (const [method, path, body] of requests)
        expect([role, path, outcome(await person.call(method, path, body))]).toEqual([
          role,
          path,
          '403 insufficient_scope',
        ]);
    }
    const app = new Client(stack, await stack.newApp(org, 'service', ['apps:manage', 'audit:read'], 'service'));
    for (const [method, path] of requests)
      expect(outcome(await app.call(method, `${app.api}/admin${path}`))).toBe('403 insufficient_scope');
  });
});

describe('the RP ID', () => {
  it('is that of the deployment, with the number of its passkeys', async () => {
    const { status, body } = await owner.call<OwnRpId>('GET', '/rp-id');
    expect([status, body]).toEqual([
      200,
      {
        rpId: 'localhost',
        ofDeployment: true,
        passkeys: [{ rpId: 'localhost', customers: 0, people: expect.any(Number) as unknown as number }],
      },
    ]);
    expect(body.passkeys[0]!.people).toBeGreaterThan(1);
  });

  it.each([
    ['https://acme.example', '422 invalid_request'],
    ['com', '422 invalid_request'],
    ['no-such-domain.invalid', '422 invalid_request'],
    ['127.0.0.1', '422 invalid_request'],
    ['', '422 invalid_request'],
    [7, '422 invalid_request'],
    [null, '409 invalid_state'],
    ['localhost', '409 invalid_state'],
  ])('cannot become %j', async (rpId, expected) => {
    expect(outcome(await owner.call('PATCH', '/rp-id', { rpId }))).toBe(expected);
    expect((await owner.call<OwnRpId>('GET', '/rp-id')).body).toMatchObject({ rpId: 'localhost', ofDeployment: true });
  });

  it('has no move to end', async () => {
    expect(outcome(await owner.call('DELETE', '/rp-id/earlier'))).toBe('409 invalid_state');
  });
});

describe('own sessions', () => {
  const sessionsOf = async (person: HubUser) =>
    (await person.call<{ items: PersonSession[] }>('GET', '/users/me/sessions')).body.items;

  it('are listed with their apps, end one by one or all at once, and never those of somebody else', async () => {
    const first = await HubUser.make(org, ['support']);
    const second = await HubUser.signIn(first.person);
    const sessions = await sessionsOf(second);
    expect(sessions).toHaveLength(2);
    expect(sessions[0]).toMatchObject({ browser: true, apps: [{ clientId: `hub_${org}` }] });
    expect(Object.keys(sessions[0]!).sort()).toEqual(['apps', 'browser', 'expiresAt', 'id', 'signedInAt']);

    const foreign = (await sessionsOf(owner))[0]!.id;
    expect(outcome(await second.call('DELETE', `/users/me/sessions/${foreign}`))).toBe('204');
    expect((await sessionsOf(owner))[0]!.id).toBe(foreign);
    expect(outcome(await second.call('DELETE', '/users/me/sessions/x'))).toBe('400 invalid_request');

    // The older one.
    expect(outcome(await second.call('DELETE', `/users/me/sessions/${sessions[1]!.id}`))).toBe('204');
    await eventually(async () => expect(outcome(await first.call('GET', '/users/me'))).toBe('401 invalid_token'));
    expect((await sessionsOf(second)).map(({ id }) => id)).toEqual([sessions[0]!.id]);

    const third = await HubUser.signIn(first.person);
    expect(outcome(await third.call('DELETE', '/users/me/sessions'))).toBe('204');
    for (const ended of [second, third])
      await eventually(async () => expect(outcome(await ended.call('GET', '/users/me'))).toBe('401 invalid_token'));
    expect(outcome(await owner.call('GET', '/users/me'))).toBe('200');
    expect(await sessionsOf(await HubUser.signIn(first.person))).toHaveLength(1);
    const { body } = await owner.call<{ items: object[] }>(
      'GET',
      `/audit/events?action=session.end&actor=${first.id}&outcome=success`,
    );
    expect(body.items).toHaveLength(3);
  });
});

describe('the keys of an app', () => {
  it('replace its client secrets, and the app gets its tokens by them', async () => {
    const { clientId, clientSecret } = await stack.newApp(org, 'robot', ['issued:read']);
    const key = await newKey('ES256');
    const patch = (body: object, by = owner) => by.call('PATCH', `/apps/${clientId}`, body);
    for (const body of [
      { tokenEndpointAuthMethod: 'private_key_jwt' },
      { tokenEndpointAuthMethod: 'private_key_jwt', jwks: { keys: [key.privateJwk] } },
      { tokenEndpointAuthMethod: 'private_key_jwt', jwks: { keys: [] } },
      { tokenEndpointAuthMethod: 'private_key_jwt', jwksUri: 'https://127.0.0.1/jwks.json' },
      { tokenEndpointAuthMethod: 'none' },
      { jwks: { keys: [key.publicJwk] } },
    ])
      expect([body, outcome(await patch(body))]).toEqual([body, '422 invalid_request']);
    const token = (body: Record<string, string>, headers = {}) =>
      exchange({
        origin: stack.baseUrl,
        path: '/oauth2/token',
        method: 'POST',
        headers: { 'content-type': 'application/x-www-form-urlencoded', ...headers },
        body: new URLSearchParams({ grant_type: 'client_credentials', scope: 'issued:read', ...body }).toString(),
      });
    const basic = {
      authorization: `Basic ${Buffer.from(`${clientId}:${clientSecret}`).toString('base64')}`,
    };
    expect((await token({}, basic)).status).toBe(200);

    const byKey = { tokenEndpointAuthMethod: 'private_key_jwt', jwks: { keys: [key.publicJwk] } };
    expect((await patch(byKey)).body).toMatchObject({ tokenEndpointAuthMethod: 'private_key_jwt' });
    expect((await owner.call<{ items: [] }>('GET', `/apps/${clientId}/secrets`)).body.items).toEqual([]);
    const assertion = async () => ({
      client_assertion_type: 'urn:ietf:params:oauth:client-assertion-type:jwt-bearer',
      client_assertion: await assertionOf({ clientId }, key),
    });
    await eventually(async () => expect((await token(await assertion())).status).toBe(200));
    await eventually(async () => expect((await token({}, basic)).status).toBe(401));

    expect((await patch({ requireDpop: true })).body).toMatchObject({ requireDpop: true });
    await eventually(async () => expect((await token(await assertion())).status).toBe(400));
    const { body } = await patch({ tokenEndpointAuthMethod: 'client_secret_basic', requireDpop: false });
    expect(body).toMatchObject({ tokenEndpointAuthMethod: 'client_secret_basic' });
    expect('jwks' in body).toBe(false);
  });

  it('are changed by no program, also of an app that it made', async () => {
    const program = new Client(stack, await stack.newApp(org, 'maker', ['apps:manage'], 'service'));
    const json = { name: 'made', kind: 'web', redirectUris: ['https://made.example/in'] };
    const made = await program.call<{ clientId: string }>('POST', `${program.api}/admin/apps`, { json });
    expect(made.status).toBe(201);
    const { publicJwk } = await newKey();
    for (const json of [
      { tokenEndpointAuthMethod: 'private_key_jwt', jwks: { keys: [publicJwk] } },
      { requireDpop: true },
      { accessTokenFormat: 'jwt' },
    ])
      expect(outcome(await program.call('PATCH', `${program.api}/admin/apps/${made.body.clientId}`, { json }))).toBe(
        '403 app_protected',
      );
  });
});

import { generateKeyPairSync, randomUUID, type KeyObject } from 'node:crypto';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from '@jest/globals';
import { Controller, Module } from '@nestjs/common';
import { exportJWK, SignJWT } from 'jose';
import {
  accessChanges,
  adminUpdateApp,
  appAccess,
  appendRecords,
  countDeniedRequests,
  createHubSession,
  endHubSession,
  exchangeHubSession,
  hubClientId,
  knownOrganizations,
  operationsOf,
  platformKeys,
  type AuditRecord,
  type ReplyOf,
  type RequestContext,
  type RequestOf,
  type Role,
} from '@holdfast/contracts';
import { Handles } from '@holdfast/messaging';
import { AppError, sha256 } from '@holdfast/platform';
import { eventually } from '@holdfast/testing';
import { AuthStub, GatewayStack, type Gateway } from '../gateway-stack.fixture.js';
import { sendRequest, type TestResponse } from '../http-client.fixture.js';

const base = 'https://id.example';
const { privateKey, publicKey } = generateKeyPairSync('ed25519');

/** What auth and directory know, and what they were sent. */
let state: {
  /** Another one for each test: the gateway remembers what directory says of a person for a quarter of a second. */
  person: string;
  sessions: Set<string>;
  roles: Role[];
  version: number;
  minVersion: number;
  disabled: boolean;
  authTime: number;
  created: RequestOf<typeof createHubSession>[];
  records: AuditRecord[];
};

function personToken(key: KeyObject = privateKey): Promise<string> {
  const now = Math.floor(Date.now() / 1000);
  return new SignJWT({
    iss: base,
    aud: `${base}/api`,
    sub: state.person,
    client_id: hubClientId('acme'),
    scope: operationsOf(state.roles).join(' '),
    jti: randomUUID(),
    iat: now,
    exp: now + 60,
    org: 'acme',
    person_version: state.version,
    auth_time: state.authTime,
    amr: ['pop'],
    api_version: '2026-11-01',
  })
    .setProtectedHeader({ alg: 'EdDSA', kid: 'k', typ: 'at+jwt' })
    .sign(key);
}

@Controller()
class AuthOnTheBus {
  @Handles(platformKeys)
  async keys(): Promise<ReplyOf<typeof platformKeys>> {
    const { crv, x, kty } = await exportJWK(publicKey);
    return { keys: [{ kty: kty!, crv: crv!, x: x!, kid: 'k', alg: 'EdDSA', use: 'sig' }] };
  }

  @Handles(createHubSession)
  async create(request: RequestOf<typeof createHubSession>): Promise<ReplyOf<typeof createHubSession>> {
    state.created.push(request);
    if (request.code !== 'good') return { outcome: 'refused' };
    state.sessions.add(request.session);
    return { outcome: 'signed_in', expiresInSeconds: 3600 };
  }

  @Handles(exchangeHubSession)
  async exchange(
    { session }: RequestOf<typeof exchangeHubSession>,
    { org }: RequestContext,
  ): Promise<ReplyOf<typeof exchangeHubSession>> {
    const known = org === 'acme' && state.sessions.has(session) && !state.disabled;
    return known ? { state: 'active', token: await personToken() } : { state: 'ended' };
  }

  @Handles(endHubSession)
  async end({ session }: RequestOf<typeof endHubSession>): Promise<ReplyOf<typeof endHubSession>> {
    return { ended: state.sessions.delete(session) };
  }
}

@Controller()
class Directory {
  @Handles(knownOrganizations)
  async known({ shortIds }: RequestOf<typeof knownOrganizations>): Promise<ReplyOf<typeof knownOrganizations>> {
    return { known: shortIds };
  }

  @Handles(accessChanges)
  async changes(): Promise<ReplyOf<typeof accessChanges>> {
    return { seq: 1, entries: [] };
  }

  /** As for an app that holds a scope. */
  @Handles(adminUpdateApp)
  async update({ signedInRecently }: RequestOf<typeof adminUpdateApp>): Promise<ReplyOf<typeof adminUpdateApp>> {
    throw new AppError(signedInRecently ? 'unknown_app' : 'step_up_required');
  }

  /** There are no heartbeats, so the gateway asks for each request. */
  @Handles(appAccess)
  async access({ clientId, org, person: id }: RequestOf<typeof appAccess>): Promise<ReplyOf<typeof appAccess>> {
    const entry = { seq: 1, disabled: false, minVersion: 0, revokedSecrets: [] };
    return {
      entries: [
        { ...entry, kind: 'app', id: clientId },
        { ...entry, kind: 'organization', id: org },
        { ...entry, kind: 'person', id: id!, disabled: state.disabled, minVersion: state.minVersion },
      ],
    };
  }
}

@Controller()
class Audit {
  @Handles(countDeniedRequests)
  async count(): Promise<Record<string, never>> {
    return {};
  }

  @Handles(appendRecords)
  async append({ records }: RequestOf<typeof appendRecords>): Promise<Record<string, never>> {
    state.records.push(...records.map(({ record }) => record));
    return {};
  }
}

@Module({ controllers: [AuthOnTheBus] })
class AuthModule {}
@Module({ controllers: [Directory] })
class DirectoryModule {}
@Module({ controllers: [Audit] })
class AuditModule {}

let stack: GatewayStack;
let auth: AuthStub;
let gateway: Gateway;

beforeAll(async () => {
  stack = await GatewayStack.start({ auth: AuthModule, directory: DirectoryModule, audit: AuditModule });
  auth = await new AuthStub().start();
  gateway = await stack.gateway([auth]);
});
afterAll(async () => {
  await stack.stop();
  await auth.stop();
});
beforeEach(() => {
  state = {
    person: randomUUID(),
    sessions: new Set(),
    roles: ['admin'],
    version: 1,
    minVersion: 0,
    disabled: false,
    authTime: Math.floor(Date.now() / 1000),
    created: [],
    records: [],
  };
});

const send = (method: string, path: string, headers: Record<string, string> = {}, body = '') =>
  sendRequest(gateway, method, path, headers, body);
const cookiesOf = ({ headers }: TestResponse) =>
  Object.fromEntries(
    (headers['set-cookie'] ?? []).map((line) => line.split(';')[0]!.split('=', 2) as [string, string]),
  );
const codeOf = ({ status, body }: TestResponse) => [status, (JSON.parse(body) as { code: string }).code];
const sessionCookie = '__Host-holdfast-acme-hub';
const flowCookie = '__Host-holdfast-acme-hub-sign-in';

/** Begins a sign-in; `back` is the address to which the issuer redirects, with changes. */
async function begin(query = '') {
  const response = await send('GET', `/hub/acme/sign-in${query}`);
  const location = new URL(response.headers.location!);
  const flow = cookiesOf(response)[flowCookie]!;
  const back = (changes: Record<string, string> = {}) =>
    `/hub/acme/callback?${new URLSearchParams({
      code: 'good',
      state: location.searchParams.get('state')!,
      iss: `${base}/o/acme`,
      ...changes,
    }).toString()}`;
  return { response, location, back, cookie: `${flowCookie}=${flow}` };
}

/** Signs in and returns the Cookie header of the session. */
async function signIn(): Promise<string> {
  const { back, cookie } = await begin();
  return `${sessionCookie}=${cookiesOf(await send('GET', back(), { cookie }))[sessionCookie]}`;
}

describe('the sign-in to the hub', () => {
  test('leads to the issuer and back to the page, with a session of which auth knows the hash only', async () => {
    const { response, location, back, cookie } = await begin('?max_age=600&return_to=/hub/acme/people%3Fq%3Da');
    expect([response.status, location.pathname, location.searchParams.get('max_age')]).toEqual([
      303,
      '/o/acme/authorize',
      '600',
    ]);
    expect(response.headers['set-cookie']![0]).toMatch(/; HttpOnly; SameSite=Lax; Secure$/);
    const done = await send('GET', back(), { cookie });
    expect([done.status, done.headers.location]).toEqual([303, '/hub/acme/people?q=a']);
    const session = cookiesOf(done)[sessionCookie]!;
    expect(done.headers['set-cookie']!.find((line) => line.startsWith(`${sessionCookie}=`))).toMatch(
      /; Path=\/; Max-Age=3600; HttpOnly; SameSite=Strict; Secure$/,
    );
    expect(cookiesOf(done)[flowCookie]).toBe('');
    expect(state.created).toHaveLength(1);
    const [{ session: stored, codeVerifier, nonce }] = state.created as [RequestOf<typeof createHubSession>];
    expect(stored).toBe(sha256(session).toString('base64url'));
    expect(sha256(codeVerifier).toString('base64url')).toBe(location.searchParams.get('code_challenge'));
    expect(nonce).toBe(location.searchParams.get('nonce'));
  });

  test('has a new session each time, which replaces that of the browser', async () => {
    const before = await signIn();
    const { back, cookie } = await begin('?max_age=0');
    const after = cookiesOf(await send('GET', back(), { cookie: `${cookie}; ${before}` }))[sessionCookie]!;
    expect(before).not.toContain(after);
    expect(state.created[1]!.replaces).toBe(sha256(before.split('=')[1]!).toString('base64url'));
  });

  test.each([
    ['another state', { state: 'x' }, 'failed'],
    ['no issuer', { iss: '' }, 'failed'],
    ['the issuer of another organization', { iss: `${base}/o/globex` }, 'failed'],
    ['a refusal', { code: '', error: 'access_denied' }, 'failed'],
    ['a code that auth refuses', { code: 'bad' }, 'failed'],
  ])('that comes back with %s ends without a session', async (_, changes, failure) => {
    const { back, cookie } = await begin();
    const done = await send('GET', back(changes), { cookie });
    expect([done.status, done.headers.location]).toEqual([303, `/hub/acme?sign_in=${failure}`]);
    expect(cookiesOf(done)[sessionCookie]).toBeUndefined();
  });

  test('that another browser began, or that was completed before, ends without a session', async () => {
    const [one, other] = [await begin(), await begin()];
    for (const headers of [{}, { cookie: other.cookie }] as Record<string, string>[])
      expect((await send('GET', one.back(), headers)).headers.location).toBe('/hub/acme?sign_in=failed');
    expect(state.created).toEqual([]);
  });

  test('that the issuer denied says so', async () => {
    const { location, cookie } = await begin();
    const query = new URLSearchParams({
      error: 'access_denied',
      state: location.searchParams.get('state')!,
      iss: `${base}/o/acme`,
    });
    expect((await send('GET', `/hub/acme/callback?${query.toString()}`, { cookie })).headers.location).toBe(
      '/hub/acme?sign_in=denied',
    );
  });

  test.each([
    'return_to=https://evil.example',
    'return_to=//evil.example',
    'return_to=/o/acme',
    'return_to=/hub/globex',
    'max_age=-1',
    'max_age=many',
    'client_id=app_1',
  ])('is refused with %s', async (query) => {
    expect(codeOf(await send('GET', `/hub/acme/sign-in?${query}`))).toEqual([400, 'invalid_request']);
  });

  test('never returns to an address that somebody wrote into the cookie', async () => {
    const { back, cookie } = await begin();
    const [name, secret] = cookie.split('.')[0]!.split('=');
    const forged = `${name}=${secret}.${Buffer.from('https://evil.example').toString('base64url')}`;
    expect((await send('GET', back(), { cookie: forged })).headers.location).toBe('/hub/acme');
  });
});

describe('the Admin API with a session', () => {
  // The guard has let a request pass when its input is refused.
  const read = (headers: Record<string, string>, org = 'acme') =>
    send('GET', `/o/${org}/api/admin/events?limit=0`, headers);
  const change = (headers: Record<string, string>, path = 'apps', body = '{"kind":1}') =>
    send('POST', `/o/acme/api/admin/${path}`, { 'content-type': 'application/json', ...headers }, body);

  test('does what the roles allow, and is recorded as the person with address and user agent', async () => {
    const cookie = await signIn();
    expect(codeOf(await read({ cookie, 'user-agent': 'Browser/1' }))).toEqual([400, 'invalid_request']);
    expect(state.records.at(-1)).toMatchObject({
      action: 'event.list',
      actor: { type: 'person', id: state.person },
      request: { address: '127.0.0.1', userAgent: 'Browser/1' },
    });
    state.roles = ['support'];
    state.minVersion = state.version = 2;
    await eventually(async () => (await read({ cookie })).status === 403);
    expect(codeOf(await read({ cookie }))).toEqual([403, 'insufficient_scope']);
  });

  test('is refused after the person was deactivated', async () => {
    const cookie = await signIn();
    expect((await read({ cookie })).status).toBe(400);
    state.disabled = true;
    await eventually(async () => (await read({ cookie })).status === 401);
    expect(codeOf(await read({ cookie }))).toEqual([401, 'invalid_token']);
  });

  test('is no session of another organization, and has no operation beyond its roles', async () => {
    state.roles = ['approver'];
    const cookie = await signIn();
    const stolen = cookie.replace('acme', 'globex');
    expect(codeOf(await read({ cookie: stolen }, 'globex'))).toEqual([401, 'invalid_token']);
    expect(codeOf(await read({ cookie }, 'globex'))).toEqual([401, 'missing_token']);
    for (const path of ['/o/acme/api/credentials/subjects', '/o/acme/ssf/streams'])
      expect(codeOf(await send('GET', path, { cookie }))).toEqual([403, 'insufficient_scope']);
  });

  test('counts for nothing beside an Authorization header, where a person token is refused', async () => {
    const cookie = await signIn();
    for (const authorization of ['Bearer x', 'Basic eDp5', `Bearer ${await personToken()}`])
      expect((await read({ cookie, authorization })).status).toBe(401);
    const { privateKey: other } = generateKeyPairSync('ed25519');
    expect((await read({ authorization: `Bearer ${await personToken(other)}` })).status).toBe(401);
  });

  test('is denied to pages of other sites', async () => {
    const cookie = await signIn();
    for (const headers of [
      {},
      { origin: 'https://evil.example' },
      { origin: 'null' },
      { origin: base, 'sec-fetch-site': 'cross-site' },
      { origin: 'https://shop.id.example', 'sec-fetch-site': 'same-site' },
    ] as Record<string, string>[])
      expect(codeOf(await change({ cookie, ...headers }))).toEqual([403, 'cross_site_request']);
    expect(codeOf(await read({ cookie, 'sec-fetch-site': 'cross-site' }))).toEqual([403, 'cross_site_request']);
    expect(codeOf(await change({ cookie, origin: base, 'sec-fetch-site': 'same-origin' }))).toEqual([
      422,
      'invalid_request',
    ]);
  });

  test('needs a recent sign-in to widen rights', async () => {
    state.authTime -= 700;
    const cookie = await signIn();
    const grants = `apps/app_${'a'.repeat(22)}/grants`;
    for (const [path, body] of [
      [grants, '{}'],
      ['apps', '{"kind":"service"}'],
      ['apps', '{"kind":"web"}'],
    ] as const) {
      const response = await change({ cookie, origin: base }, path, body);
      expect(codeOf(response)).toEqual([401, 'step_up_required']);
      expect(response.headers['www-authenticate']).toContain('error="insufficient_user_authentication", max_age="600"');
    }
    // A group without members gives nobody access.
    expect((await change({ cookie, origin: base }, 'groups', '{"name":1}')).status).toBe(422);
    state.authTime += 700;
    expect((await change({ cookie: await signIn(), origin: base }, grants, '{}')).status).toBe(422);
  });

  test('tells directory whether the sign-in is recent, and shows the step-up that directory requires', async () => {
    const update = async () =>
      send(
        'PATCH',
        `/o/acme/api/admin/apps/app_${'a'.repeat(22)}`,
        { cookie: await signIn(), origin: base, 'content-type': 'application/json' },
        '{"redirectUris":[]}',
      );
    expect(codeOf(await update())).toEqual([404, 'unknown_app']);
    state.authTime -= 700;
    const refused = await update();
    expect(codeOf(refused)).toEqual([401, 'step_up_required']);
    expect(refused.headers['www-authenticate']).toContain('error="insufficient_user_authentication", max_age="600"');
    expect(state.records.at(-1)).toMatchObject({
      action: 'app.update',
      actor: { type: 'person', id: state.person },
      outcome: { result: 'denied', status: 401, code: 'step_up_required' },
    });
  });
});

describe('the sign-out', () => {
  test('ends the session at once, for requests of our own pages only', async () => {
    const cookie = await signIn();
    const headers = { cookie, origin: base };
    expect(codeOf(await send('POST', '/hub/acme/sign-out', { cookie }))).toEqual([403, 'cross_site_request']);
    expect((await send('GET', '/o/acme/api/admin/events?limit=0', { cookie })).status).toBe(400);
    const done = await send('POST', '/hub/acme/sign-out', headers);
    expect([done.status, cookiesOf(done)[sessionCookie]]).toEqual([204, '']);
    expect((await send('GET', '/o/acme/api/admin/events?limit=0', { cookie })).status).toBe(401);
    expect((await send('POST', '/hub/acme/sign-out', headers)).status).toBe(204);
  });
});

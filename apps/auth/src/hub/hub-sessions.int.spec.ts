import { randomBytes } from 'node:crypto';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from '@jest/globals';
import { importJWK, jwtVerify, type JWK } from 'jose';
import type { z } from 'zod';
import {
  createHubSession,
  endHubSession,
  exchangeHubSession,
  hubClientId,
  hubRedirectUri,
  operationsOf,
  personAccess,
  personTokenClaimsSchema,
  platformKeys,
  type Contract,
  type ReplyOf,
} from '@holdfast/contracts';
import { Bus } from '@holdfast/messaging';
import { sha256 } from '@holdfast/platform';
import { eventually, patient, testContext } from '@holdfast/testing';
import { addApp, AuthStack, basicAuthorization } from '../auth-stack.fixture.js';
import { directoryEvent, newPerson, people } from '../person-stubs.fixture.js';
import { RelyingParty } from '../relying-party.fixture.js';
import { stubs } from '../service-stubs.fixture.js';
import { TestBrowser } from '../test-browser.fixture.js';

const hub = { clientId: hubClientId('acme') };
let stack: AuthStack;
let bus: Bus;
let staff: RelyingParty;

beforeAll(async () => {
  stack = await AuthStack.start();
  bus = patient(new Bus(await stack.connect('gateway')));
  staff = await RelyingParty.start(stack, { name: 'Staff area', audience: 'people' });
  for (const org of ['acme', 'globex']) {
    const { app } = addApp({ org, name: 'Hub', audience: 'people', redirectUris: [] });
    stubs.clients.delete(app.clientId);
    const clientId = hubClientId(org);
    stubs.clients.set(clientId, { app: { ...app, clientId }, orgSuspended: false, secrets: [] });
  }
});
afterAll(() => stack.stop());
beforeEach(() => {
  stubs.records = [];
});

const random = () => randomBytes(32).toString('base64url');
function request<C extends Contract>(contract: C, input: z.input<C['request']>, org = 'acme'): Promise<ReplyOf<C>> {
  return bus.request(contract, input, testContext({ org, actor: { type: 'anonymous', id: 'anonymous' } }));
}
const exchange = (session: string, org?: string) => request(exchangeHubSession, { session }, org);
const isActive = async (session: string) => (await exchange(session)).state === 'active';

/** Signs a person in at the issuer up to the code of the hub, as the gateway begins it. */
async function code(as: string, browser = new TestBrowser(stack.base), more: Record<string, string> = {}) {
  const proof = { codeVerifier: random(), nonce: random() };
  const query = new URLSearchParams({
    response_type: 'code',
    client_id: hub.clientId,
    redirect_uri: hubRedirectUri(stack.base, 'acme'),
    scope: 'openid',
    state: 's',
    nonce: proof.nonce,
    code_challenge: sha256(proof.codeVerifier).toString('base64url'),
    code_challenge_method: 'S256',
    ...more,
  });
  const back = new URL(await browser.signIn(`/o/acme/authorize?${query.toString()}`, as));
  expect(back.href.startsWith(hubRedirectUri(stack.base, 'acme'))).toBe(true);
  return { browser, proof, code: back.searchParams.get('code')! };
}

/** Signs a person in to the hub. */
async function signIn(as = newPerson([hub]), browser?: TestBrowser) {
  const begun = await code(as, browser);
  const session = random();
  const created = await request(createHubSession, { code: begun.code, ...begun.proof, session });
  expect(created.outcome).toBe('signed_in');
  return { as, session, ...begun };
}
const rowsOf = (person: string) =>
  stack.database.query<{ id: Buffer; expires_at: Date; payload: Buffer }>(
    `SELECT id, expires_at, payload FROM auth.oidc_state WHERE account = $1 AND model = 'HubSession'`,
    [person],
  );

describe('a hub session', () => {
  test('is exchanged for a person token with the operations of the roles, and recorded once', async () => {
    const as = newPerson([hub], { roles: ['auditor'], version: 7 });
    const before = Math.floor(Date.now() / 1000);
    const { session } = await signIn(as);
    const reply = await exchange(session);
    if (reply.state !== 'active') throw new Error('the session has ended');
    const { keys } = await request(platformKeys, {});
    const { payload, protectedHeader } = await jwtVerify(reply.token, await importJWK(keys[0] as JWK), {
      issuer: stack.base,
      audience: `${stack.base}/api`,
      typ: 'at+jwt',
      algorithms: ['EdDSA'],
    });
    expect(protectedHeader.kid).toBe(keys[0]!.kid);
    const claims = personTokenClaimsSchema.parse(payload);
    expect(claims).toMatchObject({
      sub: as,
      org: 'acme',
      client_id: 'hub_acme',
      scope: operationsOf(['auditor']).join(' '),
      person_version: 7,
      acr: 'urn:holdfast:acr:passkey',
      amr: ['pop', 'swk', 'user'],
    });
    expect(claims.exp - claims.iat).toBe(60);
    expect(claims.auth_time).toBeGreaterThanOrEqual(before);
    const records = stubs.records.filter(({ record }) => record.action === 'user.token');
    expect(records).toHaveLength(1);
    expect(records[0]!.record).toMatchObject({
      actor: { type: 'person', id: as },
      targets: [
        { type: 'person', id: as, dataSubject: as },
        { type: 'app', id: 'hub_acme' },
      ],
    });
    // A reader of the table has neither the id nor the hash that the gateway sends.
    const [row] = await rowsOf(as);
    expect([row!.id.toString('base64url') === session, row!.payload.includes(session)]).toEqual([false, false]);
  });

  test('costs one statement and one query to directory at each exchange', async () => {
    const { session } = await signIn();
    const cost = await stack.costOf(async () => expect(await isActive(session)).toBe(true));
    expect(cost).toEqual({ statements: ['hub_session_find'], requests: [personAccess.subject] });
  });

  test('follows the roles and the version of each moment', async () => {
    const { as, session } = await signIn();
    Object.assign(people.get(as)!, { roles: ['owner'], version: 9 });
    const reply = await exchange(session);
    const claims = JSON.parse(
      Buffer.from((reply as { token: string }).token.split('.')[1]!, 'base64url').toString(),
    ) as object;
    expect(claims).toMatchObject({ person_version: 9, scope: operationsOf(['owner']).join(' ') });
  });

  test('is of one organization', async () => {
    const { session } = await signIn();
    expect(await exchange(session, 'globex')).toEqual({ state: 'ended' });
    expect(await request(endHubSession, { session }, 'globex')).toEqual({ ended: false });
    expect(await isActive(session)).toBe(true);
  });

  test.each([
    ['is deactivated', (as: string) => void (people.get(as)!.state = 'deactivated')],
    ['is removed', (as: string) => void (people.get(as)!.state = 'unknown')],
    ['got a new passkey', (as: string) => void (people.get(as)!.since = 3)],
  ])('has ended as soon as the person %s', async (_, change) => {
    const { as, session } = await signIn();
    change(as);
    expect(await exchange(session)).toEqual({ state: 'ended' });
  });

  test.each(['user.deactivated', 'user.erasure_started', 'user.activated'] as const)(
    'is deleted by the event %s, and not written again by a late request',
    async (type) => {
      const { as, browser } = await signIn();
      const late = await code(as, browser, { prompt: 'login' });
      await stack.publishFromDirectory(directoryEvent(type, { user: as }));
      await eventually(async () => (await rowsOf(as)).length === 0);
      const session = random();
      expect(await request(createHubSession, { code: late.code, ...late.proof, session })).toEqual({
        outcome: 'refused',
      });
    },
  );

  test('has ended while the organization is suspended', async () => {
    const { session } = await signIn();
    const setSuspended = (orgSuspended: boolean) =>
      stack.changeDirectory(() => void (stubs.clients.get(hub.clientId)!.orgSuspended = orgSuspended));
    await setSuspended(true);
    expect(await isActive(session)).toBe(false);
    await setSuspended(false);
    expect(await isActive(session)).toBe(true);
  });

  test('lasts longer when it is used, and no longer than twelve hours after the sign-in', async () => {
    const { as, session } = await signIn();
    const setExpiry = (minutes: number) =>
      stack.database.query(
        `UPDATE auth.oidc_state SET expires_at = now() + interval '1 minute' * $2
         WHERE account = $1 AND model = 'HubSession'`,
        [as, minutes],
      );
    const minutesLeft = async () => ((await rowsOf(as))[0]!.expires_at.getTime() - Date.now()) / 60_000;
    await setExpiry(5);
    expect(await isActive(session)).toBe(true);
    expect(await minutesLeft()).toBeGreaterThan(55);
    expect(await minutesLeft()).toBeLessThanOrEqual(60);
    await setExpiry(-1);
    expect(await isActive(session)).toBe(false);
  });

  test('of a person who has twenty ends the one that was used least recently', async () => {
    const as = newPerson([hub]);
    const sessions: string[] = [];
    for (let i = 0; i < 22; i += 1) sessions.push((await signIn(as)).session);
    expect(await rowsOf(as)).toHaveLength(20);
    expect(await isActive(sessions.at(-1)!)).toBe(true);
  });
});

describe('the code of a sign-in to the hub', () => {
  test('is good for one session, of ten concurrent requests too, and a second use ends it', async () => {
    const begun = await code(newPerson([hub]));
    const sessions = Array.from({ length: 10 }, random);
    const use = (session: string) => request(createHubSession, { code: begun.code, ...begun.proof, session });
    const replies = await Promise.all(sessions.map(use));
    expect(replies.filter(({ outcome }) => outcome === 'signed_in').length).toBeLessThanOrEqual(1);
    expect(await Promise.all(sessions.map(isActive))).toEqual(sessions.map(() => false));
  });

  test('ends its session when it is used again', async () => {
    const { session, code: used, proof } = await signIn();
    expect(await isActive(session)).toBe(true);
    expect(await request(createHubSession, { code: used, ...proof, session: random() })).toEqual({
      outcome: 'refused',
    });
    expect(await isActive(session)).toBe(false);
  });

  test('is refused without its verifier or nonce, and stays good for the browser that has them', async () => {
    const begun = await code(newPerson([hub]));
    const session = random();
    for (const wrong of [{ codeVerifier: random() }, { nonce: random() }])
      expect(
        await request(createHubSession, { code: begun.code, ...begun.proof, ...wrong, session: random() }),
      ).toEqual({ outcome: 'refused' });
    expect(await request(createHubSession, { code: begun.code, ...begun.proof, session }, 'globex')).toEqual({
      outcome: 'refused',
    });
    expect((await request(createHubSession, { code: begun.code, ...begun.proof, session })).outcome).toBe('signed_in');
  });

  test('is refused at the token endpoint, with any secret', async () => {
    const begun = await code(newPerson([hub]));
    for (const headers of [{ authorization: basicAuthorization({ ...hub, secret: 'x' }) }, {}] as Record<
      string,
      string
    >[]) {
      const response = await fetch(`${stack.base}/o/acme/token`, {
        method: 'POST',
        headers,
        body: new URLSearchParams({
          grant_type: 'authorization_code',
          code: begun.code,
          redirect_uri: hubRedirectUri(stack.base, 'acme'),
          code_verifier: begun.proof.codeVerifier,
          ...(!headers.authorization && { client_id: hub.clientId }),
        }),
      });
      expect([response.status, ((await response.json()) as { error: string }).error]).toEqual([401, 'invalid_client']);
    }
  });

  test('of another app is refused', async () => {
    const { url, checks } = await staff.begin();
    const back = new URL(await new TestBrowser(stack.base).signIn(url, newPerson([staff.app, hub])));
    const proof = { codeVerifier: checks.pkceCodeVerifier, nonce: checks.expectedNonce };
    const stolen = { code: back.searchParams.get('code')!, ...proof, session: random() };
    expect(await request(createHubSession, stolen)).toEqual({ outcome: 'refused' });
  });
});

describe('signing out', () => {
  test('of the hub ends the session of the issuer and what other apps have, and is recorded once', async () => {
    const as = newPerson([hub, staff.app]);
    const { session, browser } = await signIn(as);
    expect(await staff.authorize(browser, { prompt: 'none' })).toMatchObject({ code: expect.any(String) });
    const replies = await Promise.all([1, 2, 3].map(() => request(endHubSession, { session })));
    expect(replies.filter(({ ended }) => ended)).toHaveLength(1);
    expect(await isActive(session)).toBe(false);
    expect(await staff.authorize(browser, { prompt: 'none' })).toMatchObject({ error: 'login_required' });
    await eventually(() => stubs.records.some(({ record }) => record.action === 'user.sign_out'));
    expect(stubs.records.filter(({ record }) => record.action === 'user.sign_out')).toHaveLength(1);
  });

  test('at the issuer ends the session of the hub', async () => {
    const as = newPerson([hub, staff.app]);
    const browser = new TestBrowser(stack.base);
    const { tokens } = await staff.signIn({ as, browser });
    const begun = await code(as, browser, { prompt: 'login' });
    const session = random();
    await request(createHubSession, { code: begun.code, ...begun.proof, session });
    expect(await isActive(session)).toBe(true);
    await browser.go(`/o/acme/session/end?id_token_hint=${tokens.id_token}`);
    expect(await isActive(session)).toBe(false);
  });

  test('of the hub is not needed for a new sign-in, which replaces the session of the browser', async () => {
    const first = await signIn();
    const again = await code(first.as, first.browser, { max_age: '0' });
    const session = random();
    await request(createHubSession, { code: again.code, ...again.proof, session, replaces: first.session });
    expect([await isActive(first.session), await isActive(session)]).toEqual([false, true]);
  });
});

import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from '@jest/globals';
import { customerKey } from '@holdfast/platform';
import { eventually } from '@holdfast/testing';
import { stubs, credentialOf, newCustomer, startAuthStack, type AuthStack } from '../auth-stack.fixture.js';
import { RelyingParty } from '../relying-party.fixture.js';
import { TestBrowser } from '../test-browser.fixture.js';
import { StateSweeper } from './state-sweeper.js';

let stack: AuthStack;
let shop: RelyingParty;

beforeAll(async () => {
  stack = await startAuthStack();
  shop = await RelyingParty.start(stack);
});
afterAll(() => stack.stop());
beforeEach(() => {
  stubs.records = [];
  stubs.auditUnavailable = false;
});

const stateOf = (subject: string) =>
  stack.database.query<{ model: string }>('SELECT model FROM auth.oidc_state WHERE account = $1', [subject]);
const versionsOf = async (subject: string) =>
  (
    await stack.database.query<{ version: number }>(
      `SELECT version FROM auth.oidc_state WHERE account = $1 AND model <> 'Interaction'`,
      [subject],
    )
  ).map(({ version }) => version);
const event = (type: string, subject: string, at = new Date()) => ({
  id: randomUUID(),
  type,
  occurredAt: at.toISOString(),
  org: 'acme',
  subject,
  version: 9,
  requestId: 'r',
  traceparent: 't',
});

describe.each(['unknown', 'not_live'] as const)('a customer who is %s from one moment to the next', (state) => {
  test('is refused everywhere at once', async () => {
    const { as, browser, tokens, refreshToken } = await shop.signIn();
    const { code, verifier } = await shop.code({ as });
    stubs.records = [];
    stubs.customers.get(as)!.state = state;
    expect((await shop.userinfo(tokens.access_token)).json.error).toBe('invalid_token');
    expect((await shop.refresh(refreshToken)).json.error).toBe('invalid_grant');
    expect((await shop.exchange({ code, code_verifier: verifier })).json.error).toBe('invalid_grant');
    expect(await shop.silently(browser, { prompt: 'none' })).toMatchObject({ error: 'login_required' });
    expect(await shop.silently(browser, {})).toMatchObject({ location: expect.stringContaining('/sign-in/') });
    const told = stubs.records.map(({ record }) => [record.action, record.outcome.code, record.actor.type]);
    expect(told).toEqual(
      expect.arrayContaining([
        ['customer.token', 'invalid_grant', 'app'],
        ['customer.sign_in', 'no_live_credential', 'customer'],
      ]),
    );
    const page = await browser.begin((await shop.begin()).url);
    await browser.post(`${page}/options`);
    expect((await browser.post(`${page}/complete`, { response: { as } })).json.refused).toBe(
      state === 'unknown' ? 'unknown_passkey' : 'no_live_credential',
    );
  });
});

describe('erasing', () => {
  test('takes sessions, grants, codes and tokens away, and lets none of them back in', async () => {
    const { as } = await shop.signIn();
    await shop.code({ as });
    expect(new Set((await stateOf(as)).map((row) => row.model))).toEqual(
      new Set(['Session', 'Grant', 'AccessToken', 'RefreshToken', 'AuthorizationCode']),
    );
    await stack.publish(event('subject.erasure_started', as));
    await eventually(async () => (await stateOf(as)).length === 0);
    // A sign-in that was on its way when it happened.
    const { url } = await shop.begin();
    await expect(new TestBrowser(stack.base).signIn(url, as)).rejects.toThrow('unknown_sign_in');
    expect(await stateOf(as)).toEqual([]);
    expect(JSON.stringify(await stack.database.query('SELECT * FROM auth.session_revocation'))).not.toContain(as);
  });

  test('a new key in place of an old one ends what the old one began, and not what the new one does, within one second too', async () => {
    const { as, refreshToken, browser, tokens } = await shop.signIn();
    const { code, verifier } = await shop.code({ as });
    // Issuance knows at once; the event comes when it comes.
    Object.assign(stubs.customers.get(as)!, { version: 5, since: 5 });
    expect((await shop.refresh(refreshToken)).json.error).toBe('invalid_grant');
    expect((await shop.userinfo(tokens.access_token)).status).toBe(401);
    expect((await shop.exchange({ code, code_verifier: verifier })).json.error).toBe('invalid_grant');
    expect(await shop.silently(browser, { prompt: 'none' })).toMatchObject({ error: 'login_required' });
    const again = await shop.signIn({ as, browser });
    await stack.publish({ ...event('credential.rekeyed', as), version: 5 });
    await eventually(async () => (await versionsOf(as)).every((version) => version === 5));
    expect(await shop.silently(browser, { prompt: 'none' })).toMatchObject({ code: expect.any(String) });
    const refreshed = await shop.refresh(again.refreshToken);
    expect([refreshed.status, (await shop.userinfo(refreshed.json.access_token!)).status]).toEqual([200, 200]);
  });

  test.each(['credential.suspended', 'credential.revoked', 'credential.expired'])(
    '%s ends what rests on that credential, and leaves the apps of another type',
    async (type) => {
      const kiosk = await RelyingParty.start(stack, { credentialType: 'membership' });
      const as = newCustomer('acme', ['customer', 'membership']);
      const inShop = await shop.signIn({ as });
      const inKiosk = await kiosk.signIn({ as, browser: inShop.browser, more: { prompt: 'login' } });
      const alone = await kiosk.signIn({ as });
      await stack.publish({
        ...event(type, as),
        version: 3,
        data: { subject: as, credentialId: credentialOf(as, 'membership').id, credentialType: 'membership' },
      });
      // The session that held nothing else is gone.
      await eventually(async () => (await stateOf(as)).filter(({ model }) => model === 'Session').length === 1);
      expect((await kiosk.refresh(alone.refreshToken)).json.error).toBe('invalid_grant');
      expect((await kiosk.refresh(inKiosk.refreshToken)).json.error).toBe('invalid_grant');
      expect((await kiosk.userinfo(inKiosk.tokens.access_token)).status).toBe(401);
      expect((await shop.refresh(inShop.refreshToken)).status).toBe(200);
      expect(await shop.silently(inShop.browser, { prompt: 'none' })).toMatchObject({ code: expect.any(String) });
      // Resumed: signing in works again, and no old session does it silently.
      Object.assign(stubs.customers.get(as)!, { version: 4, since: 3 });
      expect(await kiosk.silently(inShop.browser, { prompt: 'none' })).toMatchObject({ error: 'login_required' });
      const again = await kiosk.signIn({ as });
      expect((await kiosk.refresh(again.refreshToken)).status).toBe(200);
      // A late repeat of the event ends nothing that began after it.
      await stack.publish({
        ...event(type, as),
        version: 3,
        data: { subject: as, credentialId: credentialOf(as, 'membership').id, credentialType: 'membership' },
      });
      const marker = await shop.signIn();
      await stack.publish(event('subject.erasure_started', marker.as));
      await eventually(async () => (await stateOf(marker.as)).length === 0);
      expect((await kiosk.userinfo(again.tokens.access_token)).status).toBe(200);
    },
  );

  test('what comes of an ended sign-in a moment late is not stored, and no token leaves', async () => {
    const as = newCustomer();
    const { code, verifier } = await shop.code({ as });
    const [row] = await stack.database.query<{ credential: string }>(
      `SELECT credential FROM auth.oidc_state WHERE account = $1 AND model = 'AuthorizationCode'`,
      [as],
    );
    // The mark alone, as if the event came between the look at the code and the writing of its tokens.
    const key = customerKey('acme', row!.credential);
    await stack.database.query(
      'INSERT INTO auth.session_revocation (key, at, erased, version) VALUES ($1, now(), false, 3)',
      [key],
    );
    expect((await shop.exchange({ code, code_verifier: verifier })).json).toEqual({
      error: 'invalid_grant',
      error_description: 'grant request is invalid',
    });
    expect((await stateOf(as)).map(({ model }) => model)).not.toContain('AccessToken');
  });

  test('other events and other customers change nothing', async () => {
    const { as, refreshToken } = await shop.signIn();
    await stack.publish(event('subject.erasure_started', newCustomer()));
    await stack.publish({ ...event('credential.issued', as) });
    await stack.publish({ ...event('subject.erasure_started', as), org: 'globex' });
    const marker = await shop.signIn();
    await stack.publish(event('subject.erasure_started', marker.as));
    await eventually(async () => (await stateOf(marker.as)).length === 0);
    expect((await shop.refresh(refreshToken)).status).toBe(200);
  });
});

describe('when a neighbour is away', () => {
  test('issuance: nobody is believed, and a refresh token is not used up', async () => {
    const { tokens, refreshToken, browser, as } = await shop.signIn();
    const { code, verifier } = await shop.code({ as });
    const page = await browser.begin((await shop.begin({ prompt: 'login' })).url);
    await stack.withoutIssuance(async () => {
      for (const answer of [
        await shop.userinfo(tokens.access_token),
        await shop.refresh(refreshToken),
        await shop.exchange({ code, code_verifier: verifier }),
      ]) {
        expect([answer.status, answer.json.error, answer.headers.get('retry-after')]).toEqual([
          503,
          'temporarily_unavailable',
          '1',
        ]);
      }
      for (const prompt of ['none', undefined])
        expect(await shop.silently(browser, { prompt })).toMatchObject({ error: 'temporarily_unavailable' });
      expect(await browser.post(`${page}/options`)).toMatchObject({ status: 503, json: { error: 'unavailable' } });
    });
    expect((await shop.refresh(refreshToken)).status).toBe(200);
    expect((await shop.userinfo(tokens.access_token)).status).toBe(200);
  });

  test('audit: no code and no token leaves; a sign-out succeeds, and its record comes later', async () => {
    const { browser, tokens, refreshToken, as } = await shop.signIn();
    stubs.auditUnavailable = true;
    const { url } = await shop.begin();
    const silent = await browser.go(url);
    expect([silent.status, silent.location, silent.json.error]).toEqual([503, '', 'temporarily_unavailable']);
    expect(silent.headers.getSetCookie()).toEqual([]);
    expect(await shop.refresh(refreshToken)).toMatchObject({ status: 503, json: { error: 'temporarily_unavailable' } });
    const page = await browser.begin((await shop.begin({ prompt: 'login' })).url);
    await browser.post(`${page}/options`);
    stubs.customers.get(as)!.state = 'not_live';
    expect((await browser.post(`${page}/complete`, { response: { as } })).status).toBe(503);
    expect((await browser.go(`/o/acme/session/end?id_token_hint=${tokens.id_token}`)).status).toBe(303);
  });

  test('the database: 503, not a pass and not a fault', async () => {
    const { tokens, refreshToken, browser } = await shop.signIn();
    await stack.database.refuseConnections(true);
    expect(await shop.refresh(refreshToken)).toMatchObject({ status: 503, json: { error: 'temporarily_unavailable' } });
    expect((await shop.userinfo(tokens.access_token)).status).toBe(503);
    expect((await browser.go('/o/acme/jwks')).status).toBe(200);
    await stack.database.refuseConnections(false);
    await eventually(async () => (await shop.userinfo(tokens.access_token)).status === 200);
  });
});

test('an app that is disabled gets nothing, with codes and tokens from before', async () => {
  const party = await RelyingParty.start(stack);
  const { tokens, refreshToken, browser, as } = await party.signIn();
  const { code, verifier } = await party.code({ as });
  await stack.change(() => void (stubs.clients.get(party.app.clientId)!.app.disabled = true));
  expect((await party.refresh(refreshToken)).json.error).toBe('invalid_client');
  expect((await party.exchange({ code, code_verifier: verifier })).json.error).toBe('invalid_client');
  expect((await party.userinfo(tokens.access_token)).status).toBe(401);
  expect((await browser.go((await party.begin()).url)).status).toBe(400);
});

test('what has run out is swept, what has not stays', async () => {
  const { as } = await shop.signIn();
  await stack.database.query(
    `UPDATE auth.oidc_state SET expires_at = now() - interval '2 minutes' WHERE account = $1 AND model = 'AccessToken'`,
    [as],
  );
  await stack.auth.app.get(StateSweeper).sweep();
  expect((await stateOf(as)).map((row) => row.model).sort()).toEqual([
    'AuthorizationCode',
    'Grant',
    'RefreshToken',
    'Session',
  ]);
});

import { afterAll, beforeAll, beforeEach, describe, expect, test } from '@jest/globals';
import { customerKey } from '@holdfast/platform';
import { eventually } from '@holdfast/testing';
import { RelyingParty, startRelyingParties, type RelyingParties } from '../relying-party.fixture.js';
import { credentialOf, customerEvent, newCustomer, stubs } from '../service-stubs.fixture.js';
import { TestBrowser } from '../test-browser.fixture.js';
import { StateSweeper } from './state-sweeper.js';

let { stack, shop } = {} as RelyingParties<'shop'>;

beforeAll(async () => {
  ({ stack, shop } = await startRelyingParties({ shop: {} }));
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

describe.each(['unknown', 'not_live'] as const)('a customer whose status becomes %s', (state) => {
  test('is denied at once, with codes, tokens and sessions', async () => {
    const { as, browser, tokens, refreshToken } = await shop.signIn();
    const { code, verifier } = await shop.code({ as });
    stubs.records = [];
    stubs.customers.get(as)!.state = state;
    expect((await shop.userinfo(tokens.access_token)).json.error).toBe('invalid_token');
    expect((await shop.refresh(refreshToken)).json.error).toBe('invalid_grant');
    expect((await shop.exchange({ code, code_verifier: verifier })).json.error).toBe('invalid_grant');
    expect(await shop.authorize(browser, { prompt: 'none' })).toMatchObject({ error: 'login_required' });
    expect(await shop.authorize(browser, {})).toMatchObject({ location: expect.stringContaining('/sign-in/') });
    const recorded = stubs.records.map(({ record }) => [record.action, record.outcome.code, record.actor.type]);
    expect(recorded).toEqual(
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

describe('a session revocation', () => {
  test('by an erasure deletes sessions, grants, codes and tokens, and none is stored afterwards', async () => {
    const { as } = await shop.signIn();
    await shop.code({ as });
    expect(new Set((await stateOf(as)).map((row) => row.model))).toEqual(
      new Set(['Session', 'Grant', 'AccessToken', 'RefreshToken', 'AuthorizationCode']),
    );
    await stack.publish(customerEvent('subject.erasure_started', as));
    await eventually(async () => (await stateOf(as)).length === 0);
    // A sign-in that began before the erasure.
    const { url } = await shop.begin();
    await expect(new TestBrowser(stack.base).signIn(url, as)).rejects.toThrow('unknown_sign_in');
    expect(await stateOf(as)).toEqual([]);
    expect(JSON.stringify(await stack.database.query('SELECT * FROM auth.session_revocation'))).not.toContain(as);
  });

  test('by a replaced passkey applies to earlier sign-ins, and to none with the new passkey', async () => {
    const { as, refreshToken, browser, tokens } = await shop.signIn();
    const { code, verifier } = await shop.code({ as });
    // Issuance denies at once, before the event arrives.
    Object.assign(stubs.customers.get(as)!, { version: 5, since: 5 });
    expect((await shop.refresh(refreshToken)).json.error).toBe('invalid_grant');
    expect((await shop.userinfo(tokens.access_token)).status).toBe(401);
    expect((await shop.exchange({ code, code_verifier: verifier })).json.error).toBe('invalid_grant');
    expect(await shop.authorize(browser, { prompt: 'none' })).toMatchObject({ error: 'login_required' });
    const again = await shop.signIn({ as, browser });
    await stack.publish(customerEvent('credential.rekeyed', as, { version: 5 }));
    await eventually(async () => (await versionsOf(as)).every((version) => version === 5));
    expect(await shop.authorize(browser, { prompt: 'none' })).toMatchObject({ code: expect.any(String) });
    const refreshed = await shop.refresh(again.refreshToken);
    expect([refreshed.status, (await shop.userinfo(refreshed.json.access_token!)).status]).toEqual([200, 200]);
  });

  test.each(['credential.suspended', 'credential.revoked', 'credential.expired'] as const)(
    'by %s applies to sign-ins with that credential, and not to apps of another type',
    async (type) => {
      const kiosk = await RelyingParty.start(stack, { credentialType: 'membership' });
      const as = newCustomer('acme', ['customer', 'membership']);
      const inShop = await shop.signIn({ as });
      const inKiosk = await kiosk.signIn({ as, browser: inShop.browser, more: { prompt: 'login' } });
      const alone = await kiosk.signIn({ as });
      const data = { subject: as, credentialId: credentialOf(as, 'membership').id, credentialType: 'membership' };
      await stack.publish(customerEvent(type, as, { version: 3, data }));
      // The session without another app is deleted.
      await eventually(async () => (await stateOf(as)).filter(({ model }) => model === 'Session').length === 1);
      expect((await kiosk.refresh(alone.refreshToken)).json.error).toBe('invalid_grant');
      expect((await kiosk.refresh(inKiosk.refreshToken)).json.error).toBe('invalid_grant');
      expect((await kiosk.userinfo(inKiosk.tokens.access_token)).status).toBe(401);
      expect((await shop.refresh(inShop.refreshToken)).status).toBe(200);
      expect(await shop.authorize(inShop.browser, { prompt: 'none' })).toMatchObject({ code: expect.any(String) });
      // After the credential is resumed a passkey is required again.
      Object.assign(stubs.customers.get(as)!, { version: 4, since: 3 });
      expect(await kiosk.authorize(inShop.browser, { prompt: 'none' })).toMatchObject({ error: 'login_required' });
      const again = await kiosk.signIn({ as });
      expect((await kiosk.refresh(again.refreshToken)).status).toBe(200);
      // A late repetition of the event revokes no later sign-in; the next event shows that it was consumed.
      await stack.publish(customerEvent(type, as, { version: 3, data }));
      const next = await shop.signIn();
      await stack.publish(customerEvent('subject.erasure_started', next.as));
      await eventually(async () => (await stateOf(next.as)).length === 0);
      expect((await kiosk.userinfo(again.tokens.access_token)).status).toBe(200);
    },
  );

  test('between reading a code and storing its tokens denies the request and stores no token', async () => {
    const as = newCustomer();
    const { code, verifier } = await shop.code({ as });
    const [row] = await stack.database.query<{ credential: string }>(
      `SELECT credential FROM auth.oidc_state WHERE account = $1 AND model = 'AuthorizationCode'`,
      [as],
    );
    // The row of the revocation alone, as at the moment before it deletes the code.
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

  test('is not caused by other events, nor by events of other customers', async () => {
    const { as, refreshToken } = await shop.signIn();
    await stack.publish(customerEvent('subject.erasure_started', newCustomer()));
    await stack.publish(customerEvent('credential.issued', as));
    await stack.publish(customerEvent('subject.erasure_started', as, { org: 'globex' }));
    const next = await shop.signIn();
    await stack.publish(customerEvent('subject.erasure_started', next.as));
    await eventually(async () => (await stateOf(next.as)).length === 0);
    expect((await shop.refresh(refreshToken)).status).toBe(200);
  });
});

describe('an unavailable dependency', () => {
  test('issuance: every response is 503, and the refresh token is not consumed', async () => {
    const { tokens, refreshToken, browser, as } = await shop.signIn();
    const { code, verifier } = await shop.code({ as });
    const page = await browser.begin((await shop.begin({ prompt: 'login' })).url);
    await stack.without('issuance', async () => {
      for (const { status, json, headers } of [
        await shop.userinfo(tokens.access_token),
        await shop.refresh(refreshToken),
        await shop.exchange({ code, code_verifier: verifier }),
      ]) {
        expect([status, json.error, headers.get('retry-after')]).toEqual([503, 'temporarily_unavailable', '1']);
      }
      for (const prompt of ['none', undefined])
        expect(await shop.authorize(browser, { prompt })).toMatchObject({ error: 'temporarily_unavailable' });
      expect(await browser.post(`${page}/options`)).toMatchObject({ status: 503, json: { error: 'unavailable' } });
    });
    expect((await shop.refresh(refreshToken)).status).toBe(200);
    expect((await shop.userinfo(tokens.access_token)).status).toBe(200);
  });

  test('audit: sign-ins and token requests are 503 without a code or token, and a sign-out succeeds', async () => {
    const { browser, tokens, refreshToken, as } = await shop.signIn();
    stubs.auditUnavailable = true;
    const { url } = await shop.begin();
    const signIn = await browser.go(url);
    expect([signIn.status, signIn.location, signIn.json.error]).toEqual([503, '', 'temporarily_unavailable']);
    expect(signIn.headers.getSetCookie()).toEqual([]);
    expect(await shop.refresh(refreshToken)).toMatchObject({ status: 503, json: { error: 'temporarily_unavailable' } });
    const page = await browser.begin((await shop.begin({ prompt: 'login' })).url);
    await browser.post(`${page}/options`);
    stubs.customers.get(as)!.state = 'not_live';
    expect((await browser.post(`${page}/complete`, { response: { as } })).status).toBe(503);
    expect((await browser.go(`/o/acme/session/end?id_token_hint=${tokens.id_token}`)).status).toBe(303);
  });

  test('PostgreSQL: responses are 503, and succeed again afterwards', async () => {
    const { tokens, refreshToken, browser } = await shop.signIn();
    await stack.database.refuseConnections(true);
    expect(await shop.refresh(refreshToken)).toMatchObject({ status: 503, json: { error: 'temporarily_unavailable' } });
    expect((await shop.userinfo(tokens.access_token)).status).toBe(503);
    expect((await browser.go('/o/acme/jwks')).status).toBe(200);
    await stack.database.refuseConnections(false);
    await eventually(async () => (await shop.userinfo(tokens.access_token)).status === 200);
  });
});

test('a disabled app is denied at once, with earlier codes and tokens', async () => {
  const party = await RelyingParty.start(stack);
  const { tokens, refreshToken, browser, as } = await party.signIn();
  const { code, verifier } = await party.code({ as });
  await stack.changeDirectory(() => void (stubs.clients.get(party.app.clientId)!.app.disabled = true));
  expect((await party.refresh(refreshToken)).json.error).toBe('invalid_client');
  expect((await party.exchange({ code, code_verifier: verifier })).json.error).toBe('invalid_client');
  expect((await party.userinfo(tokens.access_token)).status).toBe(401);
  expect((await browser.go((await party.begin()).url)).status).toBe(400);
});

test('the sweep deletes expired state only', async () => {
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

import { afterAll, beforeAll, beforeEach, describe, expect, test } from '@jest/globals';
import { appendRecords, personAccess } from '@holdfast/contracts';
import { maxGroupsInIdToken } from '../organization-issuer/accounts.js';
import { newPerson, people } from '../person-stubs.fixture.js';
import { RelyingParty, startRelyingParties, type RelyingParties } from '../relying-party.fixture.js';
import { newCustomer, stubs } from '../service-stubs.fixture.js';
import { TestBrowser, xsrfOf } from '../test-browser.fixture.js';

let { stack, shop, staff, desk } = {} as RelyingParties<'shop' | 'staff' | 'desk'>;

beforeAll(async () => {
  ({ stack, shop, staff, desk } = await startRelyingParties({
    shop: {},
    staff: { name: 'Staff area', audience: 'people' },
    desk: { name: 'Help desk', audience: 'people' },
  }));
});
afterAll(() => stack.stop());
beforeEach(() => {
  stubs.records = [];
});

const all = 'openid email profile groups';
const assigned = (...apps: RelyingParty[]) => newPerson(apps.map(({ app }) => app));
const sessionsIn = (browser: TestBrowser) =>
  browser.cookies.map(({ name }) => name).filter((name) => name.endsWith('session'));
const recorded = () =>
  stubs.records.map(({ record: { action, actor, outcome, targets } }) => [
    action,
    actor.type,
    outcome.code ?? outcome.result,
    targets.map(({ type }) => type).join(),
  ]);
/** Opens the sign-in page and shows the passkey of this customer or person. */
async function show(party: RelyingParty, as: string, browser = new TestBrowser(stack.base)) {
  const page = await browser.begin((await party.begin()).url);
  await browser.post(`${page}/options`);
  return { browser, page, shown: (await browser.post(`${page}/complete`, { response: { as } })).json };
}
async function leave(browser: TestBrowser, page: string) {
  const { json } = await browser.post(`${page}/cancel`);
  return Object.fromEntries(new URL((await browser.go(json.redirectTo as string)).location).searchParams);
}

describe('a person who is assigned to the app', () => {
  test('signs in with a code, refreshes and is described by scope, in ID token and userinfo', async () => {
    const as = assigned(staff);
    const { email, name, groups } = people.get(as)!;
    const { tokens, claims, refreshToken } = await staff.signIn({ as, more: { scope: all } });
    expect(claims).toMatchObject({
      sub: as,
      email,
      name,
      groups,
      acr: 'urn:holdfast:acr:passkey',
      amr: ['pop', 'swk', 'user'],
      auth_time: expect.any(Number),
    });
    for (const absent of ['credential', 'email_verified', 'roles']) expect(claims).not.toHaveProperty(absent);
    expect(tokens.scope).toBe(all);
    const { json } = await staff.userinfo(tokens.access_token);
    expect(json).toEqual({
      sub: as,
      email,
      name,
      groups,
      acr: 'urn:holdfast:acr:passkey',
      amr: ['pop', 'swk', 'user'],
    });
    Object.assign(people.get(as)!, { name: 'Renamed', groups: ['Staff'] });
    const refreshed = await staff.refresh(refreshToken);
    expect(refreshed.status).toBe(200);
    expect((await staff.userinfo(refreshed.json.access_token!)).json).toMatchObject({
      name: 'Renamed',
      groups: ['Staff'],
    });
  });

  test.each([
    ['openid', []],
    ['openid email', ['email']],
    ['openid profile', ['name']],
    ['openid groups', ['groups']],
  ] as const)('is described to an app with the scope "%s" by the claims %j', async (scope, expected) => {
    const { claims, tokens } = await staff.signIn({ as: assigned(staff), more: { scope } });
    const { json } = await staff.userinfo(tokens.access_token);
    for (const described of [claims, json])
      expect(['email', 'name', 'groups'].filter((name) => name in described)).toEqual(expected);
  });

  test('with very many groups has them in userinfo only', async () => {
    const groups = Array.from({ length: maxGroupsInIdToken + 1 }, (_, i) => `group ${i}`);
    const { claims, tokens } = await staff.signIn({
      as: newPerson([staff.app], { groups }),
      more: { scope: 'openid groups' },
    });
    expect(claims).not.toHaveProperty('groups');
    expect((await staff.userinfo(tokens.access_token)).json.groups).toEqual(groups);
  });

  test('costs one query to directory and one record for each statement about them', async () => {
    const { tokens, refreshToken } = await staff.signIn({ as: assigned(staff), more: { scope: all } });
    const requests = [personAccess.subject, appendRecords.subject];
    const userinfo = await stack.costOf(async () =>
      expect((await staff.userinfo(tokens.access_token)).status).toBe(200),
    );
    // The token together with its grant.
    expect(userinfo).toEqual({ requests, statements: ['oidc_find_with_grant'] });
    let newest = refreshToken;
    const refresh = await stack.costOf(async () => {
      const { status, json } = await staff.refresh(newest);
      expect(status).toBe(200);
      newest = json.refresh_token!;
    });
    const stored = ['oidc_consume', 'oidc_upsert', 'oidc_upsert'];
    expect(refresh).toEqual({ requests, statements: ['oidc_find_with_grant', ...stored] });
  });

  test('continues at another app of theirs without a passkey, and each step is recorded as theirs', async () => {
    const as = assigned(staff, desk);
    const { browser, tokens } = await staff.signIn({ as });
    expect(await desk.authorize(browser, { prompt: 'none' })).toMatchObject({ code: expect.any(String) });
    await staff.userinfo(tokens.access_token);
    await browser.go(`/o/acme/session/end?id_token_hint=${tokens.id_token}`);
    expect(recorded()).toEqual([
      ['user.sign_in', 'person', 'success', 'app'],
      ['user.token', 'app', 'success', 'app,person'],
      ['user.sign_in', 'person', 'success', 'app'],
      ['user.userinfo', 'app', 'success', 'app,person'],
      ['user.sign_out', 'person', 'success', 'app'],
    ]);
    for (const { record } of stubs.records)
      for (const target of record.targets.filter(({ type }) => type === 'person'))
        expect(target).toEqual({ type: 'person', id: as, dataSubject: as });
    expect(JSON.stringify(stubs.records)).not.toContain(people.get(as)!.email);
  });

  test('shows the passkey again with max_age and prompt=login, and auth_time increases', async () => {
    const as = assigned(staff);
    const { browser, claims } = await staff.signIn({ as });
    await new Promise((resolve) => setTimeout(resolve, 1100));
    for (const more of [{ max_age: '0' }, { prompt: 'login' }])
      expect(await staff.authorize(browser, more)).toMatchObject({ location: expect.stringContaining('/sign-in/') });
    expect(await staff.authorize(browser, { max_age: '0', prompt: 'none' })).toMatchObject({ error: 'login_required' });
    const again = await staff.signIn({ as, browser, more: { max_age: '0' } });
    expect(again.claims.auth_time).toBeGreaterThan(claims.auth_time!);
  });

  test('revokes nothing but the token of the app that revokes it', async () => {
    const { tokens, refreshToken } = await staff.signIn({ as: assigned(staff) });
    stubs.records = [];
    const response = await fetch(`${stack.base}/o/acme/token/revocation`, {
      method: 'POST',
      headers: {
        authorization: `Basic ${Buffer.from(`${staff.app.clientId}:${staff.app.secret}`).toString('base64')}`,
      },
      body: new URLSearchParams({ token: refreshToken }),
    });
    expect(response.status).toBe(200);
    expect((await staff.userinfo(tokens.access_token)).status).toBe(401);
    expect(recorded()[0]).toEqual(['user.token_revoke', 'app', 'success', 'app,person']);
  });
});

describe('the sign-in page', () => {
  test('receives who signs in', async () => {
    for (const [party, audience] of [
      [staff, 'people'],
      [shop, 'customers'],
    ] as const) {
      const browser = new TestBrowser(stack.base);
      expect((await browser.go(await browser.begin((await party.begin()).url))).json).toMatchObject({ audience });
    }
  });

  test.each([
    ['not_assigned', { apps: new Set<string>() }, 'the person is not assigned to the app'],
    ['deactivated', { state: 'deactivated' }, 'the person is deactivated'],
    ['unknown_passkey', { state: 'unknown' }, 'the person is not known'],
  ] as const)('refuses a person who is %s, and leaving it is access_denied', async (reason, changes, description) => {
    const as = newPerson([staff.app], changes);
    const { browser, page, shown } = await show(staff, as);
    expect(shown).toEqual({ refused: reason });
    expect(await leave(browser, page)).toMatchObject({ error: 'access_denied', error_description: description });
    expect(recorded().filter(([, actor]) => actor === 'person')).toEqual(
      reason === 'unknown_passkey' ? [] : [['user.sign_in', 'person', reason, 'app']],
    );
    expect(sessionsIn(browser)).toEqual([]);
  });

  test('left without a passkey is login_required', async () => {
    const browser = new TestBrowser(stack.base);
    expect(await leave(browser, await browser.begin((await staff.begin()).url))).toMatchObject({
      error: 'login_required',
      error_description: 'the person left without signing in',
    });
  });

  test('knows no passkey of a customer at an app of people, and none of a person at an app of customers', async () => {
    expect((await show(staff, newCustomer())).shown).toEqual({ refused: 'unknown_passkey' });
    expect((await show(shop, assigned(staff))).shown).toEqual({ refused: 'unknown_passkey' });
  });
});

describe('a session', () => {
  test('of a customer does not sign in to an app of people, nor the reverse, and both exist side by side', async () => {
    const customer = await shop.signIn();
    const { browser } = customer;
    expect(await staff.authorize(browser, { prompt: 'none' })).toMatchObject({ error: 'login_required' });
    const person = await staff.signIn({ as: assigned(staff), browser });
    expect(sessionsIn(browser).sort()).toEqual(['holdfast-acme-people-session', 'holdfast-acme-session']);
    expect(person.as).not.toBe(customer.as);
    expect(await shop.authorize(browser, { prompt: 'none' })).toMatchObject({ code: expect.any(String) });
    expect(await staff.authorize(browser, { prompt: 'none' })).toMatchObject({ code: expect.any(String) });
    expect((await shop.refresh(customer.refreshToken)).status).toBe(200);
    const alone = new TestBrowser(stack.base);
    await staff.signIn({ as: assigned(staff), browser: alone });
    expect(await shop.authorize(alone, { prompt: 'none' })).toMatchObject({ error: 'login_required' });
  });

  test('has a cookie that is of no use under the name of the other', async () => {
    const { browser } = await shop.signIn();
    const copied = new TestBrowser(stack.base);
    copied.cookies = browser.cookies.map((cookie) => ({
      ...cookie,
      name: cookie.name.replace('-session', '-people-session'),
    }));
    expect(await staff.authorize(copied, { prompt: 'none' })).toMatchObject({ error: 'login_required' });
  });

  test('ends with the sign-out of its own app, and not with the other', async () => {
    const { browser, tokens } = await shop.signIn();
    const person = await staff.signIn({ as: assigned(staff), browser });
    await browser.go(`/o/acme/session/end?id_token_hint=${person.tokens.id_token}`);
    expect(sessionsIn(browser)).toEqual(['holdfast-acme-session']);
    expect((await staff.refresh(person.refreshToken)).json.error).toBe('invalid_grant');
    expect((await shop.userinfo(tokens.access_token)).status).toBe(200);
    const again = await staff.signIn({ as: person.as, browser });
    await browser.go(`/o/acme/session/end?id_token_hint=${tokens.id_token}`);
    expect(sessionsIn(browser)).toEqual(['holdfast-acme-people-session']);
    expect((await staff.refresh(again.refreshToken)).status).toBe(200);
  });

  test('of a person ends after a confirmation, requested with the client id or without', async () => {
    for (const query of [`?client_id=${staff.app.clientId}`, '']) {
      const { browser } = query ? await shop.signIn() : { browser: new TestBrowser(stack.base) };
      await staff.signIn({ as: assigned(staff), browser });
      const page = await browser.go(`/o/acme/session/end${query}`);
      expect(page.text).toContain('for the staff of Acme');
      const action = /action="([^"]+)"/.exec(page.text)![1]!;
      expect((await browser.form(action, { xsrf: xsrfOf(page), logout: 'yes' })).status).toBe(303);
      expect(sessionsIn(browser)).toEqual(query ? ['holdfast-acme-session'] : []);
      expect(await staff.authorize(browser, { prompt: 'none' })).toMatchObject({ error: 'login_required' });
    }
  });

  test('of another person ends when somebody else signs in', async () => {
    const first = await staff.signIn({ as: assigned(staff) });
    const as = assigned(staff);
    const second = await staff.signIn({ as, browser: first.browser, more: { prompt: 'login' } });
    expect(second.claims.sub).toBe(as);
    expect((await staff.refresh(first.refreshToken)).json.error).toBe('invalid_grant');
  });
});

describe.each([
  ['not_assigned', { apps: new Set<string>() }],
  ['deactivated', { state: 'deactivated' }],
  ['unknown', { state: 'unknown' }],
  ['sign_in_ended', { since: 5, version: 5 }],
] as const)('a person who becomes %s', (denial, changes) => {
  test('is denied at once, with codes, tokens and sessions', async () => {
    const as = assigned(staff);
    const { browser, tokens, refreshToken } = await staff.signIn({ as });
    const { code, verifier } = await staff.code({ as });
    stubs.records = [];
    Object.assign(people.get(as)!, changes);
    expect((await staff.userinfo(tokens.access_token)).json.error).toBe('invalid_token');
    expect((await staff.refresh(refreshToken)).json.error).toBe('invalid_grant');
    expect((await staff.exchange({ code, code_verifier: verifier })).json.error).toBe('invalid_grant');
    expect(await staff.authorize(browser, { prompt: 'none' })).toMatchObject({ error: 'login_required' });
    // Another person may sign in with another passkey.
    for (const more of [{ prompt: 'login' }, { prompt: 'select_account' }, { max_age: '0' }]) {
      await new Promise((resolve) => setTimeout(resolve, more.max_age ? 1100 : 0));
      expect(await staff.authorize(browser, more)).toMatchObject({ location: expect.stringContaining('/sign-in/') });
    }
    const opened = await staff.authorize(browser, {});
    expect(opened).toMatchObject(
      denial === 'sign_in_ended'
        ? { location: expect.stringContaining('/sign-in/') }
        : { error: 'access_denied', error_description: expect.stringContaining('the person is ') },
    );
    expect(recorded()).toEqual(
      expect.arrayContaining([
        ['user.token', 'app', 'invalid_grant', 'app,person'],
        ['user.sign_in', 'person', denial, 'app'],
      ]),
    );
  });
});

test('an app of customers gets its own scope and claims, whatever it requests', async () => {
  const { claims, tokens } = await shop.signIn({ more: { scope: all } });
  expect(tokens.scope).toBe('openid');
  const { json } = await shop.userinfo(tokens.access_token);
  for (const described of [claims, json]) {
    expect(described).toHaveProperty('credential');
    for (const personal of ['email', 'name', 'groups']) expect(described).not.toHaveProperty(personal);
  }
});

test('directory unavailable is 503 or temporarily_unavailable, never a pass', async () => {
  const as = assigned(staff);
  const { browser, tokens, refreshToken } = await staff.signIn({ as });
  await stack.without('directory', async () => {
    expect((await staff.userinfo(tokens.access_token)).status).toBe(503);
    expect((await staff.refresh(refreshToken)).status).toBe(503);
    expect(await staff.authorize(browser, { prompt: 'none' })).not.toHaveProperty('code');
  });
});

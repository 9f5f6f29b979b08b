// Whose session it is: signing out, sessions put under somebody else, issuers that are mixed up, two of them in one
// browser.
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { SoftwareAuthenticator } from '@holdfast/testing';
import { Client } from '../client.ts';
import { closeConnections } from '../http.ts';
import { customerScopes, stack } from '../under-test.ts';
import { completeSignIn, beginSignIn, newCustomer, signIn, type Customer } from './customer.fixture.ts';
import { RelyingParty } from './relying-party.fixture.ts';
import { actionOf, fieldsOf, UserAgent } from './user-agent.ts';

let shop: RelyingParty;
let kiosk: RelyingParty;
let elsewhere: RelyingParty;
let ada: Customer;
let bob: Customer;
let end: string;
beforeAll(async () => {
  const [here, there] = await Promise.all([stack.newOrganization(), stack.newOrganization()]);
  [shop, kiosk, elsewhere] = await Promise.all([
    RelyingParty.make(here, 'shop', { grants: customerScopes }),
    RelyingParty.make(here, 'kiosk', {
      redirectUris: ['https://kiosk.example/callback'],
      postLogoutRedirectUris: ['https://kiosk.example/bye'],
    }),
    RelyingParty.make(there, 'elsewhere', { grants: customerScopes }),
  ]);
  [ada, bob] = await Promise.all([newCustomer(new Client(stack, shop.app)), newCustomer(new Client(stack, shop.app))]);
  end = shop.config.serverMetadata().end_session_endpoint!;
});
afterAll(closeConnections);

const bye = 'https://shop.example/bye';
const fresh = () => new UserAgent(stack.baseUrl);
const signedIn = async (agent: UserAgent, app = shop) => 'code' in (await app.silently(agent, { prompt: 'none' }));
const leaving = (parameters: Record<string, string>) => `${end}?${new URLSearchParams(parameters)}`;
const sessionOf = (agent: UserAgent, app = shop) =>
  agent.cookies.find(({ name }) => name.endsWith(`holdfast-${app.app.org}-session`))?.value;

describe('signing out', () => {
  it('with the ID token: at once, back to the app, out of every app, and refresh tokens end', async () => {
    const { agent, idToken, refreshToken, accessToken } = await shop.signIn(ada.authenticator);
    const next = await kiosk.begin();
    const { location: toKiosk } = await agent.go(next.url);
    expect(toKiosk).toContain('code=');
    const { status, location, cookies } = await agent.go(
      leaving({ id_token_hint: idToken, post_logout_redirect_uri: bye, state: 'x&y' }),
    );
    expect([status, location]).toEqual([303, `${bye}?state=x%26y`]);
    expect(cookies.join()).toMatch(/session=;/);
    expect(await signedIn(agent)).toBe(false);
    expect(await signedIn(agent, kiosk)).toBe(false);
    expect(await shop.refresh(refreshToken)).toMatchObject({ status: 400, json: { error: 'invalid_grant' } });
    expect((await shop.userinfo(accessToken)).status).toBe(401);
    // Once more does no harm.
    expect((await agent.go(leaving({ id_token_hint: idToken, post_logout_redirect_uri: bye }))).status).toBeLessThan(
      400,
    );
  });

  it.each<[string, () => Promise<Record<string, string>>]>([
    ['without a hint', () => Promise.resolve({})],
    [
      'with no more than the client’s name',
      () => Promise.resolve({ client_id: shop.app.clientId, post_logout_redirect_uri: bye }),
    ],
    [
      'with the ID token of another customer',
      async () => ({ id_token_hint: (await shop.signIn(bob.authenticator)).idToken, post_logout_redirect_uri: bye }),
    ],
  ])('%s: the customer is asked, and it takes their own click', async (_, hint) => {
    const { agent } = await shop.signIn(ada.authenticator);
    const confirmation = await agent.go(leaving(await hint()));
    expect([confirmation.status, confirmation.location]).toEqual([200, '']);
    expect(await signedIn(agent)).toBe(true);

    // Another site's form has not the secret of this one, though the cookie may come along.
    const action = actionOf(confirmation.text)!;
    const { xsrf, ...others } = fieldsOf(confirmation.text);
    expect(xsrf).toMatch(/\S{16,}/);
    for (const forged of [
      { ...others, logout: 'yes' },
      { ...others, logout: 'yes', xsrf: 'A'.repeat(xsrf!.length) },
    ]) {
      expect((await agent.form(action, forged)).status).toBe(400);
    }
    expect(await signedIn(agent)).toBe(true);
    const page = await agent.go(leaving(await hint()));
    const { status } = await agent.form(actionOf(page.text)!, { ...fieldsOf(page.text), logout: 'yes' });
    expect(status).toBe(303);
    expect(await signedIn(agent)).toBe(false);
  });

  it('to an address that is not the app’s own, or with a hint of another issuer: nobody is led away, and nobody signed out', async () => {
    const { agent, idToken } = await shop.signIn(ada.authenticator);
    const theirs = await newCustomer(new Client(stack, elsewhere.app));
    const foreign = await elsewhere.signIn(theirs.authenticator);
    const forged = [
      idToken.split('.')[0],
      Buffer.from(
        JSON.stringify({
          ...JSON.parse(Buffer.from(idToken.split('.')[1]!, 'base64url').toString()),
          aud: kiosk.app.clientId,
        }),
      ).toString('base64url'),
      idToken.split('.')[2],
    ].join('.');
    for (const bad of [
      { id_token_hint: idToken, post_logout_redirect_uri: 'https://evil.example/' },
      { id_token_hint: idToken, post_logout_redirect_uri: `${bye}/` },
      { id_token_hint: idToken, post_logout_redirect_uri: 'https://kiosk.example/bye' },
      { id_token_hint: idToken, client_id: kiosk.app.clientId, post_logout_redirect_uri: 'https://kiosk.example/bye' },
      { client_id: shop.app.clientId, post_logout_redirect_uri: 'https://evil.example/' },
      { id_token_hint: foreign.idToken, post_logout_redirect_uri: bye },
      { id_token_hint: forged, post_logout_redirect_uri: 'https://kiosk.example/bye' },
      { id_token_hint: 'garbage' },
    ]) {
      const { status, location } = await agent.go(leaving(bad as Record<string, string>));
      expect([bad, status, location]).toEqual([bad, 400, '']);
    }
    expect(await signedIn(agent)).toBe(true);
    // Without an app there is nobody whose address it could be.
    const confirmation = await agent.go(leaving({ post_logout_redirect_uri: 'https://evil.example/' }));
    const { location } = await agent.form(actionOf(confirmation.text)!, {
      ...fieldsOf(confirmation.text),
      logout: 'yes',
    });
    expect([confirmation.text, location].join()).not.toContain('evil.example');
  });
});

describe('a session put under somebody else', () => {
  it('gets a new name when somebody signs in, and the old one is worth nothing', async () => {
    const agent = fresh();
    await agent.go((await shop.begin()).url);
    const attackersCookies = [...agent.cookies];
    await signIn(agent, (await shop.begin()).url, ada.authenticator);
    const thief = fresh();
    thief.cookies = attackersCookies;
    expect(await signedIn(thief)).toBe(false);
    expect(await signedIn(agent)).toBe(true);
  });

  it('a victim with the attacker’s session becomes themselves, and the attacker gets nothing', async () => {
    const attacker = (await shop.signIn(bob.authenticator)).agent;
    const victim = fresh();
    victim.cookies = structuredClone(attacker.cookies);
    const { claims } = await shop.signIn(ada.authenticator, { agent: victim, more: { prompt: 'login' } });
    expect(claims.sub).toBe(ada.subject);
    expect(sessionOf(victim)).not.toBe(sessionOf(attacker));
    const received = await shop.silently(attacker, { prompt: 'none' });
    expect(received).toEqual(expect.objectContaining({ error: 'login_required' }));
  });

  it('a sign-in that began in another browser cannot be answered in this one, or ended, or looked at', async () => {
    const attacker = fresh();
    const page = await beginSignIn(attacker, (await shop.begin()).url);
    const victim = (await shop.signIn(ada.authenticator)).agent;
    for (const agent of [fresh(), victim]) {
      expect(await agent.go(page, { headers: { accept: 'application/json' } })).toMatchObject({
        status: 404,
        json: { code: 'unknown_sign_in' },
      });
      for (const step of ['options', 'complete', 'cancel']) {
        expect(await agent.post(`${page}/${step}`, step === 'complete' ? { response: {} } : {})).toMatchObject({
          status: 404,
          json: { code: 'unknown_sign_in' },
        });
      }
    }
    // Nor does an answer for one browser's sign-in fit another's.
    const own = fresh();
    const mine = await beginSignIn(own, (await shop.begin()).url);
    const { json } = await attacker.post(`${page}/options`);
    const response = ada.authenticator.authenticate(json.options as object, { origin: new URL(stack.baseUrl).origin });
    expect(await own.post(`${mine}/complete`, { response })).toMatchObject({
      status: 409,
      json: { code: 'ceremony_expired' },
    });
    expect((await completeSignIn(own, mine, ada.authenticator)).json).toHaveProperty('redirectTo');
  });

  it('another site’s page can send nothing', async () => {
    const agent = fresh();
    const page = await beginSignIn(agent, (await shop.begin()).url);
    const theirs: Record<string, string>[] = [
      { origin: 'https://evil.example' },
      { origin: 'null' },
      { 'sec-fetch-site': 'cross-site' },
      { 'sec-fetch-site': 'same-site' },
    ];
    for (const headers of theirs) {
      for (const step of ['options', 'complete', 'cancel']) {
        expect(await agent.post(`${page}/${step}`, {}, headers)).toMatchObject({
          status: 403,
          json: { code: 'cross_site_request' },
        });
      }
    }
    expect(await agent.form(`${page}/cancel`, {})).toMatchObject({ status: 415 });
  });

  it('an answer counts once, and a sign-in ends once', async () => {
    const agent = fresh();
    const page = await beginSignIn(agent, (await shop.begin()).url);
    const { json } = await agent.post(`${page}/options`);
    const response = ada.authenticator.authenticate(json.options as object, { origin: new URL(stack.baseUrl).origin });
    const first = await agent.post(`${page}/complete`, { response });
    expect(first.json).toHaveProperty('redirectTo');
    expect((await agent.post(`${page}/complete`, { response })).status).toBe(404);
    const thief = fresh();
    thief.cookies = [];
    expect((await thief.go(String(first.json.redirectTo))).location).not.toContain('code=');
    const { location } = await agent.go(String(first.json.redirectTo));
    expect(location).toContain('code=');
    expect((await agent.go(String(first.json.redirectTo))).location).not.toContain('code=');
  });

  it('cookies cannot be read by scripts or sent by other sites’ forms, and are of their issuer alone', async () => {
    const agent = fresh();
    const { cookies } = await agent.go((await shop.begin()).url);
    const page = await beginSignIn(agent, (await shop.begin()).url);
    const done = await completeSignIn(agent, page, ada.authenticator);
    const all = [...cookies, ...(await agent.go(String(done.json.redirectTo))).cookies].filter(
      (line) => !/=;/.test(line),
    );
    expect(all.length).toBeGreaterThanOrEqual(2);
    const path = `/(o/${shop.app.org}/(api/sign-in|authorize)/[\\w-]+)?`;
    for (const line of all)
      expect(line).toMatch(
        new RegExp(`^(__Host-)?holdfast-${shop.app.org}-[^=]+=[^;]+; path=${path};.*samesite=lax.*httponly`, 'i'),
      );
  });
});

describe('two issuers', () => {
  it('hold a session each in one browser, by one authenticator, and the passkey of one will not do at the other', async () => {
    const both = new SoftwareAuthenticator();
    const agent = fresh();
    const here = await newCustomer(new Client(stack, shop.app), both);
    const keyHere = both.passkeys[0]!.id;
    const page = await beginSignIn(agent, (await elsewhere.begin()).url);
    for (let i = 0; i < 2; i++)
      expect((await completeSignIn(agent, page, both, { passkey: keyHere })).json).toEqual({
        refused: 'other_organization',
      });

    const there = await newCustomer(new Client(stack, elsewhere.app), both);
    expect(both.passkeys).toHaveLength(2);
    const keyThere = both.passkeys[1]!.id;
    expect(both.passkeys[0]!.userHandle).not.toBe(both.passkeys[1]!.userHandle);
    // The same page, still good, with the right passkey.
    expect((await completeSignIn(agent, page, both, { passkey: keyThere })).json).toHaveProperty('redirectTo');
    const inShop = await signIn(agent, (await shop.begin()).url, both, { passkey: keyHere });
    expect(inShop.location).toContain('code=');
    const second = await signIn(agent, (await elsewhere.begin()).url, both, { passkey: keyThere });
    expect(second.location).toContain('code=');
    expect([await signedIn(agent), await signedIn(agent, elsewhere)]).toEqual([true, true]);
    expect(here.subject).not.toBe(there.subject);

    const name = agent.cookies.find(({ value }) => value === sessionOf(agent))!.name;
    const mixed = fresh();
    mixed.cookies = [{ name, value: sessionOf(agent, elsewhere)!, path: '/' }];
    expect(await signedIn(mixed)).toBe(false);
  });
});

describe('passkeys that prove too little', () => {
  it.each([
    ['not verified by the device', { userVerified: false }],
    ['nobody there', { userPresent: false }],
    ['signed by another key', { badSignature: true }],
    ['made on another site', { origin: 'https://evil.example' }],
    ['for another site', { rpId: 'evil.example' }],
    ['a registration', { type: 'webauthn.create' }],
    ['of another handle', { userHandle: 'AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA' }],
  ])('%s', async (_, ceremony) => {
    const agent = fresh();
    const page = await beginSignIn(agent, (await shop.begin()).url);
    expect(await completeSignIn(agent, page, ada.authenticator, ceremony)).toMatchObject({
      status: 422,
      json: { code: 'passkey_invalid' },
    });
    expect((await completeSignIn(agent, page, ada.authenticator)).json).toHaveProperty('redirectTo');
  });

  it('a copy, whose counter stands still', async () => {
    const customer = await newCustomer(new Client(stack, shop.app));
    const agent = fresh();
    const first = await beginSignIn(agent, (await shop.begin()).url);
    expect((await completeSignIn(agent, first, customer.authenticator, { counter: 9 })).json).toHaveProperty(
      'redirectTo',
    );
    const second = fresh();
    const page = await beginSignIn(second, (await shop.begin()).url);
    expect(await completeSignIn(second, page, customer.authenticator, { counter: 9 })).toMatchObject({
      status: 422,
      json: { code: 'passkey_invalid' },
    });
  });

  it('leaving without a passkey is told to the app as login_required', async () => {
    const agent = fresh();
    const { url, checks } = await shop.begin();
    const page = await beginSignIn(agent, url);
    const { json } = await agent.post(`${page}/cancel`);
    const { location } = await agent.go(String(json.redirectTo));
    expect(Object.fromEntries(new URL(location).searchParams)).toMatchObject({
      error: 'login_required',
      state: checks.expectedState,
      iss: `${stack.baseUrl}/o/${shop.app.org}`,
    });
  });
});

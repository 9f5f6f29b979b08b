// Sessions: signing out, session fixation, mix-up of issuers, two issuers in one browser.
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { SoftwareAuthenticator } from '@holdfast/testing';
import { Client } from '../clients/client.ts';
import { closeConnections } from '../clients/http.ts';
import { customerScopes, stack } from '../clients/under-test.ts';
import { beginSignIn, completeSignIn, newCustomer, signIn, type Customer } from './customer.fixture.ts';
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

const signedOutUri = 'https://shop.example/bye';
const newAgent = () => new UserAgent(stack.baseUrl);
const isSignedIn = async (agent: UserAgent, app = shop) => 'code' in (await app.silently(agent, { prompt: 'none' }));
const signOutUrl = (parameters: Record<string, string>) => `${end}?${new URLSearchParams(parameters)}`;
const sessionOf = (agent: UserAgent, app = shop) =>
  agent.cookies.find(({ name }) => name.endsWith(`holdfast-${app.app.org}-session`))?.value;

describe('signing out', () => {
  it('with an ID token ends the session of every app and the refresh tokens, and redirects to the app', async () => {
    const { agent, idToken, refreshToken, accessToken } = await shop.signIn(ada.authenticator);
    const next = await kiosk.begin();
    const { location: toKiosk } = await agent.go(next.url);
    expect(toKiosk).toContain('code=');
    const { status, location, cookies } = await agent.go(
      signOutUrl({ id_token_hint: idToken, post_logout_redirect_uri: signedOutUri, state: 'x&y' }),
    );
    expect([status, location]).toEqual([303, `${signedOutUri}?state=x%26y`]);
    expect(cookies.join()).toMatch(/session=;/);
    expect(await isSignedIn(agent)).toBe(false);
    expect(await isSignedIn(agent, kiosk)).toBe(false);
    expect(await shop.refresh(refreshToken)).toMatchObject({ status: 400, json: { error: 'invalid_grant' } });
    expect((await shop.userinfo(accessToken)).status).toBe(401);
    // Repeating it is harmless.
    expect(
      (await agent.go(signOutUrl({ id_token_hint: idToken, post_logout_redirect_uri: signedOutUri }))).status,
    ).toBeLessThan(400);
  });

  it.each<[string, () => Promise<Record<string, string>>]>([
    ['without a hint', () => Promise.resolve({})],
    [
      'with a client id only',
      () => Promise.resolve({ client_id: shop.app.clientId, post_logout_redirect_uri: signedOutUri }),
    ],
    [
      'with the ID token of another customer',
      async () => ({
        id_token_hint: (await shop.signIn(bob.authenticator)).idToken,
        post_logout_redirect_uri: signedOutUri,
      }),
    ],
  ])('%s requires a confirmation by the customer', async (_, hint) => {
    const { agent } = await shop.signIn(ada.authenticator);
    const confirmation = await agent.go(signOutUrl(await hint()));
    expect([confirmation.status, confirmation.location]).toEqual([200, '']);
    expect(await isSignedIn(agent)).toBe(true);

    // A form of another site does not know the token of this form, even if the browser sends the cookie.
    const action = actionOf(confirmation.text)!;
    const { xsrf, ...otherFields } = fieldsOf(confirmation.text);
    expect(xsrf).toMatch(/\S{16,}/);
    for (const forged of [
      { ...otherFields, logout: 'yes' },
      { ...otherFields, logout: 'yes', xsrf: 'A'.repeat(xsrf!.length) },
    ]) {
      expect((await agent.form(action, forged)).status).toBe(400);
    }
    expect(await isSignedIn(agent)).toBe(true);
    const page = await agent.go(signOutUrl(await hint()));
    const { status } = await agent.form(actionOf(page.text)!, { ...fieldsOf(page.text), logout: 'yes' });
    expect(status).toBe(303);
    expect(await isSignedIn(agent)).toBe(false);
  });

  it('with an unregistered URI or an ID token of another issuer is 400, without a redirect or a sign-out', async () => {
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
      { id_token_hint: idToken, post_logout_redirect_uri: `${signedOutUri}/` },
      { id_token_hint: idToken, post_logout_redirect_uri: 'https://kiosk.example/bye' },
      { id_token_hint: idToken, client_id: kiosk.app.clientId, post_logout_redirect_uri: 'https://kiosk.example/bye' },
      { client_id: shop.app.clientId, post_logout_redirect_uri: 'https://evil.example/' },
      { id_token_hint: foreign.idToken, post_logout_redirect_uri: signedOutUri },
      { id_token_hint: forged, post_logout_redirect_uri: 'https://kiosk.example/bye' },
      { id_token_hint: 'garbage' },
    ]) {
      const { status, location } = await agent.go(signOutUrl(bad as Record<string, string>));
      expect([bad, status, location]).toEqual([bad, 400, '']);
    }
    expect(await isSignedIn(agent)).toBe(true);
    // Without an app no URI is registered.
    const confirmation = await agent.go(signOutUrl({ post_logout_redirect_uri: 'https://evil.example/' }));
    const { location } = await agent.form(actionOf(confirmation.text)!, {
      ...fieldsOf(confirmation.text),
      logout: 'yes',
    });
    expect([confirmation.text, location].join()).not.toContain('evil.example');
  });
});

describe('a session', () => {
  it('gets a new id at the sign-in, and the old id is worthless', async () => {
    const agent = newAgent();
    await agent.go((await shop.begin()).url);
    const cookiesBefore = [...agent.cookies];
    await signIn(agent, (await shop.begin()).url, ada.authenticator);
    const thief = newAgent();
    thief.cookies = cookiesBefore;
    expect(await isSignedIn(thief)).toBe(false);
    expect(await isSignedIn(agent)).toBe(true);
  });

  it("of an attacker in a victim's browser is replaced at the victim's sign-in", async () => {
    const attacker = (await shop.signIn(bob.authenticator)).agent;
    const victim = newAgent();
    victim.cookies = structuredClone(attacker.cookies);
    const { claims } = await shop.signIn(ada.authenticator, { agent: victim, more: { prompt: 'login' } });
    expect(claims.sub).toBe(ada.subject);
    expect(sessionOf(victim)).not.toBe(sessionOf(attacker));
    const received = await shop.silently(attacker, { prompt: 'none' });
    expect(received).toEqual(expect.objectContaining({ error: 'login_required' }));
  });

  it('does not give access to a sign-in that began in another browser', async () => {
    const attacker = newAgent();
    const page = await beginSignIn(attacker, (await shop.begin()).url);
    const victim = (await shop.signIn(ada.authenticator)).agent;
    for (const agent of [newAgent(), victim]) {
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
    // A passkey response for one sign-in is not valid for another.
    const own = newAgent();
    const ownPage = await beginSignIn(own, (await shop.begin()).url);
    const { json } = await attacker.post(`${page}/options`);
    const response = ada.authenticator.authenticate(json.options as object, { origin: new URL(stack.baseUrl).origin });
    expect(await own.post(`${ownPage}/complete`, { response })).toMatchObject({
      status: 409,
      json: { code: 'ceremony_expired' },
    });
    expect((await completeSignIn(own, ownPage, ada.authenticator)).json).toHaveProperty('redirectTo');
  });

  it('cannot be used by a page of another site', async () => {
    const agent = newAgent();
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

  it('comes from one passkey response, and each sign-in ends once', async () => {
    const agent = newAgent();
    const page = await beginSignIn(agent, (await shop.begin()).url);
    const { json } = await agent.post(`${page}/options`);
    const response = ada.authenticator.authenticate(json.options as object, { origin: new URL(stack.baseUrl).origin });
    const first = await agent.post(`${page}/complete`, { response });
    expect(first.json).toHaveProperty('redirectTo');
    expect((await agent.post(`${page}/complete`, { response })).status).toBe(404);
    const thief = newAgent();
    thief.cookies = [];
    expect((await thief.go(String(first.json.redirectTo))).location).not.toContain('code=');
    const { location } = await agent.go(String(first.json.redirectTo));
    expect(location).toContain('code=');
    expect((await agent.go(String(first.json.redirectTo))).location).not.toContain('code=');
  });

  it('has cookies of one issuer, hidden from scripts and not sent by forms of other sites', async () => {
    const agent = newAgent();
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
  it('have separate sessions and passkeys in one browser with one authenticator', async () => {
    const both = new SoftwareAuthenticator();
    const agent = newAgent();
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
    // The same page accepts the right passkey.
    expect((await completeSignIn(agent, page, both, { passkey: keyThere })).json).toHaveProperty('redirectTo');
    const inShop = await signIn(agent, (await shop.begin()).url, both, { passkey: keyHere });
    expect(inShop.location).toContain('code=');
    const second = await signIn(agent, (await elsewhere.begin()).url, both, { passkey: keyThere });
    expect(second.location).toContain('code=');
    expect([await isSignedIn(agent), await isSignedIn(agent, elsewhere)]).toEqual([true, true]);
    expect(here.subject).not.toBe(there.subject);

    const name = agent.cookies.find(({ value }) => value === sessionOf(agent))!.name;
    const mixed = newAgent();
    mixed.cookies = [{ name, value: sessionOf(agent, elsewhere)!, path: '/' }];
    expect(await isSignedIn(mixed)).toBe(false);
  });
});

describe('a sign-in', () => {
  it.each([
    ['without user verification', { userVerified: false }],
    ['without user presence', { userPresent: false }],
    ['with a signature by another key', { badSignature: true }],
    ['with another origin', { origin: 'https://evil.example' }],
    ['with another RP id', { rpId: 'evil.example' }],
    ['with a registration', { type: 'webauthn.create' }],
    ['with another user handle', { userHandle: 'AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA' }],
  ])('%s is 422, and the page stays usable', async (_, ceremony) => {
    const agent = newAgent();
    const page = await beginSignIn(agent, (await shop.begin()).url);
    expect(await completeSignIn(agent, page, ada.authenticator, ceremony)).toMatchObject({
      status: 422,
      json: { code: 'passkey_invalid' },
    });
    expect((await completeSignIn(agent, page, ada.authenticator)).json).toHaveProperty('redirectTo');
  });

  it('that is cancelled redirects to the app with login_required', async () => {
    const agent = newAgent();
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

// Requests that the authorization and token endpoints reject: redirect URIs, proofs and codes of others (RFC 9700).
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import * as oidc from 'openid-client';
import { Client } from '../clients/client.ts';
import { closeConnections } from '../clients/http.ts';
import { customerScopes, stack } from '../clients/under-test.ts';
import { times } from '../stack/parallel.ts';
import { newCustomer, signIn, type Customer } from './customer.fixture.ts';
import { RelyingParty } from './relying-party.fixture.ts';
import { UserAgent } from './user-agent.ts';

let org: string;
let shop: RelyingParty;
let kiosk: RelyingParty;
let lax: RelyingParty;
let phone: RelyingParty;
let elsewhere: RelyingParty;
let ada: Customer;
beforeAll(async () => {
  const [here, there] = await Promise.all([stack.newOrganization(), stack.newOrganization()]);
  org = here;
  [shop, kiosk, lax, phone, elsewhere] = await Promise.all([
    RelyingParty.make(org, 'shop', {
      grants: customerScopes,
      redirectUris: ['https://shop.example/callback', 'https://shop.example/other'],
    }),
    RelyingParty.make(org, 'kiosk', { redirectUris: ['https://kiosk.example/callback'] }),
    RelyingParty.make(org, 'lax', { pkce: 'optional' }),
    RelyingParty.make(org, 'phone', {
      kind: 'native',
      redirectUris: ['http://127.0.0.1/in'],
      postLogoutRedirectUris: [],
    }),
    RelyingParty.make(there, 'elsewhere'),
  ]);
  ada = await newCustomer(new Client(stack, shop.app));
});
afterAll(closeConnections);

const denied = { status: 400, json: { error: 'invalid_grant' } };

describe('redirect URIs', () => {
  const good = 'https://shop.example/callback';
  const corpus = [
    `${good}/`,
    `${good}?`,
    `${good}?x=1`,
    `${good}#`,
    `${good}#x`,
    `${good}/../callback`,
    `${good}/%2e%2e/callback`,
    `${good}%2f`,
    `${good}\\`,
    `${good};x`,
    `${good}%00`,
    `${good} `,
    ` ${good}`,
    'https://shop.example/Callback',
    'https://SHOP.example/callback',
    'HTTPS://shop.example/callback',
    'http://shop.example/callback',
    'https://shop.example:443/callback',
    'https://shop.example:8443/callback',
    'https://shop.example./callback',
    'https://shop.example.evil.example/callback',
    'https://evil.example/callback',
    'https://evil.example/https://shop.example/callback',
    'https://shop.example@evil.example/callback',
    'https://evil.example\\@shop.example/callback',
    'https://user@shop.example/callback',
    'https://shop.example%40evil.example/callback',
    'https://a.shop.example/callback',
    'https://shopXexample/callback',
    '//shop.example/callback',
    '/callback',
    'callback',
    'shop.example/callback',
    '',
    'javascript:alert(1)',
    'data:text/html,x',
    'https://kiosk.example/callback',
    'http://127.0.0.1/callback',
    'http://localhost/callback',
    'https://shop.example/callback\r\nLocation: https://evil.example',
    'https://shop.example/callbаck',
    'https://xn--shop-example/callback',
    '*',
    'https://shop.example/*',
    'https:shop.example/callback',
    'https:///shop.example/callback',
  ];

  it.each(corpus)('%j is 400 without a redirect', async (redirect_uri) => {
    const agent = new UserAgent(stack.baseUrl);
    for (const prompt of [undefined, 'none']) {
      const { url } = await shop.begin({ redirect_uri, ...(prompt && { prompt }) });
      const { status, location, headers } = await agent.go(url);
      expect([status, location]).toEqual([400, '']);
      expect(headers.get('content-security-policy')).toContain("default-src 'none'");
    }
  });

  it('that are missing, given twice or misspelled are 400 without a redirect', async () => {
    const agent = new UserAgent(stack.baseUrl);
    const { url: without } = await shop.begin({ redirect_uri: undefined });
    const { url } = await shop.begin();
    for (const bad of [
      without,
      `${url}&redirect_uri=${encodeURIComponent('https://evil.example/')}`,
      url.replace('redirect_uri=', 'Redirect_uri='),
    ]) {
      expect(await agent.go(bad)).toMatchObject({ status: 400, location: '' });
    }
  });

  it.each([
    'http://127.0.0.1:8080/other',
    'http://127.0.0.1:8080/in/',
    'http://localhost:8080/in',
    'http://127.0.0.2:8080/in',
    'http://127.0.0.1:80@evil.example/in',
    'https://127.0.0.1/in',
    'http://[::1]:8080/in',
    'http://127.1/in',
    'com.example.app:/in',
  ])('of a native app: %s is 400 without a redirect', async (redirect_uri) => {
    const { url } = await phone.begin({ redirect_uri });
    expect(await new UserAgent(stack.baseUrl).go(url)).toMatchObject({ status: 400, location: '' });
  });
});

describe('an authorization request', () => {
  it.each([
    ['no challenge', { code_challenge: undefined, code_challenge_method: undefined }, 'invalid_request'],
    ['plain', { code_challenge_method: 'plain' }, 'invalid_request'],
    ['plain by default', { code_challenge_method: undefined }, 'invalid_request'],
    ['an unknown method', { code_challenge_method: 'S512' }, 'invalid_request'],
    ['a short challenge', { code_challenge: 'abc' }, 'invalid_request'],
    ['a challenge with invalid characters', { code_challenge: '!'.repeat(43) }, 'invalid_request'],
    ['an empty challenge', { code_challenge: '' }, 'invalid_request'],
    ['the implicit flow', { response_type: 'token' }, 'unsupported_response_type'],
    ['an ID token from the authorization endpoint', { response_type: 'id_token' }, 'unsupported_response_type'],
    ['the hybrid flow', { response_type: 'code id_token' }, 'unsupported_response_type'],
    ['response type none', { response_type: 'none' }, 'unsupported_response_type'],
    ['a request object', { request: 'eyJhbGciOiJub25lIn0.e30.' }, 'request_not_supported'],
    ['a request by reference', { request_uri: 'https://evil.example/request' }, 'request_uri_not_supported'],
    ['a scope without openid', { scope: 'offers:write' }, 'invalid_request'],
    ['prompts none and login', { prompt: 'none login' }, 'invalid_request'],
    ['an invalid max_age', { max_age: '-1' }, 'invalid_request'],
  ])('with %s is rejected by a redirect to the app with state and iss', async (_, more, error) => {
    const { url, checks } = await shop.begin(more);
    const { status, location } = await new UserAgent(stack.baseUrl).go(url);
    expect([status, location.split('?')[0]?.split('#')[0]]).toEqual([303, shop.redirectUri]);
    const response = Object.fromEntries(new URLSearchParams(location.split(/[?#]/)[1]));
    expect(response).toMatchObject({ error, state: checks.expectedState, iss: `${stack.baseUrl}/o/${org}` });
    expect(response).not.toHaveProperty('code');
  });

  it('with response_mode=fragment has no response in the fragment', async () => {
    const { url } = await shop.begin({ response_mode: 'fragment' });
    const { location } = await new UserAgent(stack.baseUrl).go(url);
    expect(location).not.toContain('#');
  });

  it('may omit PKCE only for a web app for which it is optional, and with a nonce', async () => {
    const without = { code_challenge: undefined, code_challenge_method: undefined };
    const agent = new UserAgent(stack.baseUrl);
    expect(await lax.silently(agent, { ...without, nonce: undefined })).toMatchObject({ error: 'invalid_request' });
    expect(await lax.silently(agent, { code_challenge_method: 'plain' })).toMatchObject({ error: 'invalid_request' });
    const { code, code_verifier } = await lax.code(ada.authenticator, { more: without });
    // A verifier without a challenge means that somebody has removed the challenge (RFC 9700 §2.1.1).
    expect(await lax.token({ code, code_verifier })).toMatchObject(denied);
    const plain = await lax.code(ada.authenticator, { more: without });
    expect((await lax.token({ code: plain.code })).status).toBe(200);
    const proven = await lax.code(ada.authenticator);
    expect(await lax.token({ code: proven.code })).toMatchObject(denied);
  });

  it.each(['plain', undefined])(
    'of a public app is rejected without S256: method %s',
    async (code_challenge_method) => {
      const without = code_challenge_method
        ? { code_challenge_method }
        : { code_challenge: undefined, code_challenge_method };
      const response = await phone.silently(new UserAgent(stack.baseUrl), {
        ...without,
        redirect_uri: 'http://127.0.0.1/in',
      });
      expect(response).toMatchObject({ error: 'invalid_request' });
    },
  );

  it('with an app of another organization or an unknown one is 400 without a redirect', async () => {
    const agent = new UserAgent(stack.baseUrl);
    const { url } = await shop.begin();
    for (const bad of [
      url.replace(shop.app.clientId, elsewhere.app.clientId),
      url.replace(`/o/${org}/`, `/o/${elsewhere.app.org}/`),
      url.replace(shop.app.clientId, 'app_nobody'),
    ]) {
      const { status, location } = await agent.go(bad);
      expect([status, location]).toEqual([400, '']);
    }
  });
});

describe('a code', () => {
  const code = () => shop.code(ada.authenticator);

  it('is rejected the second time, and the tokens of the first time end', async () => {
    const { code: one, code_verifier } = await code();
    const { status, json } = await shop.token({ code: one, code_verifier });
    expect(status).toBe(200);
    expect(await shop.token({ code: one, code_verifier })).toMatchObject(denied);
    expect(await shop.refresh(json.refresh_token!)).toMatchObject(denied);
    expect((await shop.userinfo(json.access_token!)).status).toBe(401);
  });

  it('is accepted at most once of twenty concurrent requests', async () => {
    const { code: one, code_verifier } = await code();
    const replies = await Promise.all(times(20).map(() => shop.token({ code: one, code_verifier })));
    const accepted = replies.filter(({ status }) => status === 200);
    const rejected = replies.filter(({ status }) => status !== 200);
    expect(accepted.length).toBeLessThanOrEqual(1);
    expect(rejected.map(({ status, json }) => [status, json.error])).toEqual(
      rejected.map(() => [400, 'invalid_grant']),
    );
    // The repeated code ends the tokens that it was exchanged for.
    const userinfo = await Promise.all(accepted.map(({ json }) => shop.userinfo(json.access_token!)));
    expect(userinfo.map(({ status }) => status)).toEqual(accepted.map(() => 401));
  });

  it.each([
    ['another verifier', { code_verifier: oidc.randomPKCECodeVerifier() }, 'invalid_grant'],
    ['no verifier', { code_verifier: undefined }, 'invalid_grant'],
    ['a verifier that is too short', { code_verifier: 'abc' }, 'invalid_request'],
    ['another redirect URI of the app', { redirect_uri: 'https://shop.example/other' }, 'invalid_grant'],
    ['no redirect URI', { redirect_uri: undefined }, 'invalid_request'],
    ['an altered code', { code: `${'A'.repeat(43)}` }, 'invalid_grant'],
    ['no code', { code: undefined }, 'invalid_request'],
    ['another grant type', { grant_type: 'password' }, 'unsupported_grant_type'],
    ['client_credentials', { grant_type: 'client_credentials', scope: 'offers:write' }, 'unsupported_grant_type'],
  ])('is rejected with %s', async (_, more, error) => {
    const { code: one, code_verifier } = await code();
    const { status, json } = await shop.token({ code: one, code_verifier, ...more });
    expect([status, json.error]).toEqual([400, error]);
    expect(json).not.toHaveProperty('access_token');
  });

  it('is rejected for another client, at another issuer, with a wrong secret and without one', async () => {
    const { code: one, code_verifier } = await code();
    expect(await kiosk.token({ code: one, code_verifier, redirect_uri: shop.redirectUri })).toMatchObject(denied);
    const two = await code();
    expect(
      await shop.token(
        { code: two.code, code_verifier: two.code_verifier },
        { issuer: `${stack.baseUrl}/o/${elsewhere.app.org}` },
      ),
    ).toMatchObject({ status: 401, json: { error: 'invalid_client' } });
    expect(
      await elsewhere.token({ code: two.code, code_verifier: two.code_verifier, redirect_uri: shop.redirectUri }),
    ).toMatchObject(denied);
    expect(
      await shop.token(
        { code: two.code, code_verifier: two.code_verifier },
        { as: { ...shop.app, clientSecret: kiosk.app.clientSecret } },
      ),
    ).toMatchObject({ status: 401, json: { error: 'invalid_client' } });
    expect(
      await shop.token({ code: two.code, code_verifier: two.code_verifier }, { as: { ...shop.app, clientSecret: '' } }),
    ).toMatchObject({ status: 401, json: { error: 'invalid_client' } });
    expect((await shop.token({ code: two.code, code_verifier: two.code_verifier })).status).toBe(200);
  });

  it('is rejected by the client library in another sign-in, by state, nonce, issuer and verifier', async () => {
    const mine = await shop.begin();
    const { location } = await signIn(new UserAgent(stack.baseUrl), mine.url, ada.authenticator);
    const theirs = await shop.begin();
    await expect(oidc.authorizationCodeGrant(shop.config, new URL(location), theirs.checks)).rejects.toThrow();
    const mixed = new URL(location);
    mixed.searchParams.set('iss', `${stack.baseUrl}/o/${elsewhere.app.org}`);
    await expect(oidc.authorizationCodeGrant(shop.config, mixed, mine.checks)).rejects.toThrow();
    // Even with the victim's own state, the code is bound to another verifier.
    await expect(
      oidc.authorizationCodeGrant(shop.config, new URL(location), {
        ...mine.checks,
        pkceCodeVerifier: theirs.checks.pkceCodeVerifier,
      }),
    ).rejects.toThrow();
  });
});

describe('a refresh token', () => {
  it('is rotated, and using the old one again ends the whole family', async () => {
    const { refreshToken, claims } = await shop.signIn(ada.authenticator);
    const second = await shop.refresh(refreshToken);
    expect(second.status).toBe(200);
    const { sub, credential, aud, iss } = JSON.parse(
      Buffer.from(second.json.id_token!.split('.')[1]!, 'base64url').toString(),
    ) as Record<string, unknown>;
    expect({ sub, credential, aud, iss }).toEqual({
      sub: claims.sub,
      credential: claims.credential,
      aud: claims.aud,
      iss: claims.iss,
    });
    const third = await shop.refresh(second.json.refresh_token!);
    expect(third.status).toBe(200);
    expect(await shop.refresh(refreshToken)).toMatchObject(denied);
    expect(await shop.refresh(third.json.refresh_token!)).toMatchObject(denied);
    expect((await shop.userinfo(third.json.access_token!)).status).toBe(401);
  });

  it('has one successor for twenty concurrent requests, and none after that has been used', async () => {
    const { refreshToken } = await shop.signIn(ada.authenticator);
    const replies = await Promise.all(times(20).map(() => shop.refresh(refreshToken)));
    const successors = new Set(replies.map(({ status, json }) => `${status} ${json.refresh_token}`));
    expect([...successors]).toEqual([`200 ${replies[0]!.json.refresh_token}`]);
    const next = await shop.refresh(replies[0]!.json.refresh_token!);
    expect(next.status).toBe(200);
    expect(await shop.refresh(refreshToken)).toMatchObject(denied);
    expect(await shop.refresh(next.json.refresh_token!)).toMatchObject(denied);
  });

  it('is rejected for another client, at another issuer, as an access token, and for more scope', async () => {
    const { refreshToken, accessToken, idToken } = await shop.signIn(ada.authenticator);
    expect(await kiosk.refresh(refreshToken)).toMatchObject(denied);
    expect((await elsewhere.refresh(refreshToken)).status).toBe(400);
    for (const token of [refreshToken, idToken, 'x', ''])
      expect((await shop.userinfo(token)).status).toBeGreaterThanOrEqual(400);
    expect((await shop.userinfo(accessToken, elsewhere.app.org)).status).toBe(401);
    expect(await shop.refresh(accessToken)).toMatchObject(denied);
    const { status, json } = await shop.token({
      grant_type: 'refresh_token',
      redirect_uri: undefined,
      refresh_token: refreshToken,
      scope: 'openid offers:write',
    });
    expect([status, json.error]).toEqual([400, 'invalid_scope']);
  });

  it('has access tokens that are denied by the API of the organization', async () => {
    const { accessToken, idToken } = await shop.signIn(ada.authenticator);
    for (const token of [accessToken, idToken]) {
      const response = await fetch(`${stack.baseUrl}/o/${org}/api/credentials/subjects`, {
        headers: { authorization: `Bearer ${token}` },
      });
      expect(response.status).toBe(401);
    }
    const apiToken = await new Client(stack, shop.app).token();
    expect((await shop.userinfo(apiToken)).status).toBe(401);
  });
});

// Sign-in by standard clients that know only the issuer: openid-client, and one that uses fetch() alone.
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { createLocalJWKSet, createRemoteJWKSet, decodeProtectedHeader, jwtVerify, type JSONWebKeySet } from 'jose';
import * as oidc from 'openid-client';
import { eventually, SoftwareAuthenticator } from '@holdfast/testing';
import { Client } from '../clients/client.ts';
import { closeConnections } from '../clients/http.ts';
import { customerScopes, stack } from '../clients/under-test.ts';
import { newCustomer, signIn, type Customer } from './customer.fixture.ts';
import { RelyingParty } from './relying-party.fixture.ts';
import { actionOf, fieldsOf, UserAgent } from './user-agent.ts';

let org: string;
let issuer: string;
let shop: RelyingParty;
let elliptic: RelyingParty;
let ada: Customer;
beforeAll(async () => {
  org = await stack.newOrganization();
  issuer = `${stack.baseUrl}/o/${org}`;
  [shop, elliptic] = await Promise.all([
    RelyingParty.make(org, 'shop', { grants: customerScopes }),
    RelyingParty.make(org, 'elliptic', { idTokenAlg: 'ES256' }),
  ]);
  ada = await newCustomer(new Client(stack, shop.app));
});
afterAll(closeConnections);

async function json(url: string): Promise<{ body: Record<string, unknown>; headers: Headers; status: number }> {
  const response = await fetch(url);
  return {
    body: (await response.json()) as Record<string, unknown>,
    headers: response.headers,
    status: response.status,
  };
}

const keys = async () => (await json(`${issuer}/jwks`)).body as unknown as JSONWebKeySet;
/** The client library caches keys for at least a minute, so a new client is needed to fetch new keys. */
const newClient = () => RelyingParty.of(shop.app);
const kidOf = (token: string) => decodeProtectedHeader(token).kid;

describe('discovery', () => {
  it('has the same document at both addresses, and all URLs are of this issuer', async () => {
    const { body, status } = await json(`${issuer}/.well-known/openid-configuration`);
    expect(status).toBe(200);
    expect((await json(`${new URL(issuer).origin}/.well-known/oauth-authorization-server/o/${org}`)).body).toEqual(
      body,
    );
    expect(body).toMatchObject({
      issuer,
      response_types_supported: ['code'],
      code_challenge_methods_supported: ['S256'],
      subject_types_supported: ['public'],
      scopes_supported: ['openid'],
      authorization_response_iss_parameter_supported: true,
      response_modes_supported: expect.arrayContaining(['query', 'form_post']),
      grant_types_supported: expect.arrayContaining(['authorization_code', 'refresh_token']),
      id_token_signing_alg_values_supported: expect.arrayContaining(['RS256', 'ES256']),
      claims_supported: expect.arrayContaining(['sub', 'credential', 'acr', 'amr', 'auth_time']),
      end_session_endpoint: expect.any(String),
    });
    const addresses = Object.entries(body).filter(([name]) => /_(endpoint|uri)$/.test(name));
    expect(addresses.length).toBeGreaterThanOrEqual(5);
    for (const [, address] of addresses) expect(address).toMatch(new RegExp(`^${issuer}/`));
  });

  it('has public keys of both types, of this organization alone', async () => {
    const own = await keys();
    expect(own.keys.map(({ kty }) => kty).sort()).toEqual(expect.arrayContaining(['EC', 'RSA']));
    for (const key of own.keys)
      for (const secret of ['d', 'p', 'q', 'dp', 'dq', 'qi', 'k']) expect(key).not.toHaveProperty(secret);
    const others = (await json(`${stack.baseUrl}/o/acme/jwks`)).body as unknown as JSONWebKeySet;
    expect(others.keys.map(({ kid }) => kid)).not.toEqual(expect.arrayContaining([own.keys[0]!.kid]));
  });

  it('is 404 for an organization that does not exist', async () => {
    expect((await fetch(`${stack.baseUrl}/o/no-such-org/.well-known/openid-configuration`)).status).toBe(404);
  });
});

describe('a sign-in', () => {
  it.each(['RS256', 'ES256'])(
    'has exactly the documented claims in an ID token with %s and in userinfo',
    async (alg) => {
      const app = alg === 'RS256' ? shop : elliptic;
      const began = Math.floor(Date.now() / 1000);
      const { tokens, idToken, accessToken } = await app.signIn(ada.authenticator);
      const { payload, protectedHeader } = await jwtVerify(idToken, createRemoteJWKSet(new URL(`${issuer}/jwks`)), {
        issuer,
        audience: app.app.clientId,
      });
      expect(protectedHeader.alg).toBe(alg);
      expect(Object.keys(payload).sort().join(' ')).toBe(
        'acr amr at_hash aud auth_time credential exp iat iss nonce sid sub',
      );
      expect(payload).toMatchObject({
        sub: ada.subject,
        iss: issuer,
        aud: app.app.clientId,
        amr: expect.arrayContaining(['pop', 'user']),
        acr: expect.any(String),
      });
      expect(payload.auth_time).toBeGreaterThanOrEqual(began - 1);
      expect(payload.exp! - payload.iat!).toBeLessThanOrEqual(600);
      const { body } = await new Client(stack, shop.app).get(ada.subject);
      const [credential] = body.credentials;
      expect(payload.credential).toEqual({
        id: credential!.id,
        type: 'customer',
        document_number: expect.any(String),
        issued_at: credential!.issuedAt,
      });

      expect(tokens).toMatchObject({ token_type: 'bearer', scope: 'openid' });
      expect(tokens.expires_in).toBeLessThanOrEqual(600);
      expect(await oidc.fetchUserInfo(app.config, accessToken, ada.subject)).toEqual({
        sub: ada.subject,
        credential: payload.credential,
        amr: payload.amr,
        acr: payload.acr,
      });
      const { headers } = await app.userinfo(accessToken);
      expect(headers.get('cache-control')).toContain('no-store');
    },
  );

  it('succeeds for an app that uses fetch alone', async () => {
    const metadata = (await json(`${issuer}/.well-known/openid-configuration`)).body as Record<string, string>;
    const { code, code_verifier, iss } = await shop.code(ada.authenticator);
    expect(iss).toBe(issuer);
    const { clientId, clientSecret } = shop.app;
    // client_secret_post, which the metadata supports as well.
    const body = new URLSearchParams({
      grant_type: 'authorization_code',
      code,
      code_verifier,
      redirect_uri: shop.redirectUri,
      client_id: clientId,
      client_secret: clientSecret,
    });
    const response = await fetch(metadata.token_endpoint!, { method: 'POST', body });
    expect([response.status, response.headers.get('cache-control')]).toEqual([200, 'no-store']);
    const { access_token } = (await response.json()) as { access_token: string };
    const userinfo = await fetch(metadata.userinfo_endpoint!, { headers: { authorization: `Bearer ${access_token}` } });
    expect(await userinfo.json()).toMatchObject({ sub: ada.subject });
  });

  it('succeeds with form_post, and with POST to the authorization endpoint', async () => {
    const { url, checks } = await shop.begin({ response_mode: 'form_post' });
    const agent = new UserAgent(stack.baseUrl);
    const page = await signIn(agent, url, ada.authenticator);
    expect([page.status, page.headers.get('content-type')]).toEqual([200, expect.stringContaining('text/html')]);
    expect(actionOf(page.text)).toBe(shop.redirectUri);
    const posted = new Request(shop.redirectUri, { method: 'POST', body: new URLSearchParams(fieldsOf(page.text)) });
    const tokens = await oidc.authorizationCodeGrant(shop.config, posted, checks);
    expect(tokens.claims()!.sub).toBe(ada.subject);

    const second = await shop.begin();
    const { location } = await agent.form(`${issuer}/authorize`, Object.fromEntries(new URL(second.url).searchParams));
    const { location: callback } = await agent.go(location);
    expect((await oidc.authorizationCodeGrant(shop.config, new URL(callback), second.checks)).claims()!.sub).toBe(
      ada.subject,
    );
  });

  it.each([
    ['spa', 'https://spa.example/in', 'https://spa.example/in'],
    ['native', 'http://127.0.0.1/in', 'http://127.0.0.1:49152/in'],
    ['native', 'com.example.app:/in', 'com.example.app:/in'],
  ] as const)(
    'succeeds for a %s app without a secret, also on any loopback port and with a private scheme (%s)',
    async (kind, registered, redirect_uri) => {
      const app = await RelyingParty.make(org, `${kind} ${registered}`, {
        kind,
        redirectUris: [registered],
        postLogoutRedirectUris: [],
      });
      const { code, code_verifier } = await app.code(ada.authenticator, { more: { redirect_uri } });
      const { status, json: body } = await app.token({ code, code_verifier, redirect_uri });
      expect([status, body.error]).toEqual([200, undefined]);
      const refreshed = await app.refresh(body.refresh_token!);
      expect(refreshed.status).toBe(200);
      expect((await app.userinfo(refreshed.json.access_token!)).json).toMatchObject({ sub: ada.subject });
    },
  );
});

describe('a session of the issuer', () => {
  it('signs in to another app without interaction, unless the app requires a new sign-in', async () => {
    const withoutSession = new UserAgent(stack.baseUrl);
    expect(await shop.silently(withoutSession, { prompt: 'none' })).toMatchObject({
      error: 'login_required',
      iss: issuer,
    });
    const { agent } = await shop.signIn(ada.authenticator);
    expect(await elliptic.silently(agent, { prompt: 'none' })).toMatchObject({ code: expect.any(String), iss: issuer });
    expect(await elliptic.silently(agent, { prompt: 'login' })).toEqual({});
    // The session becomes older than max_age, which is in seconds.
    await eventually(async () =>
      expect(await elliptic.silently(agent, { max_age: '1', prompt: 'none' })).toMatchObject({
        error: 'login_required',
      }),
    );
    expect(await elliptic.silently(agent, { max_age: '0' })).toEqual({});
  });
});

describe('a key rotation', () => {
  it('publishes new keys before they sign, and keeps old signatures valid', async () => {
    const before = await shop.signIn(ada.authenticator);
    const offline = createLocalJWKSet(await keys());
    await stack.operator('key', 'rotate', org, '--overlap', '4');
    await eventually(async () => (await keys()).keys.length === 4, 'publication of the new keys');
    const during = await shop.signIn(ada.authenticator);
    // The key that signs now was published before the rotation.
    await jwtVerify(during.idToken, offline, { issuer });
    const published = createLocalJWKSet(await keys());

    const after = await eventually(async () => {
      const signed = await (await newClient()).signIn(ada.authenticator);
      return kidOf(signed.idToken) !== kidOf(before.idToken) && signed;
    }, 'a signature by the new key');
    for (const { idToken } of [before, during, after]) await jwtVerify(idToken, published, { issuer });
    for (const { idToken } of [before, during, after])
      await jwtVerify(idToken, createLocalJWKSet(await keys()), { issuer });
    // Grants and sessions do not depend on keys.
    expect((await shop.refresh(before.refreshToken)).status).toBe(200);
    expect(await shop.silently(before.agent, { prompt: 'none' })).toHaveProperty('code');
    elliptic = await RelyingParty.of(elliptic.app, 'ES256');
    expect((await elliptic.signIn(ada.authenticator)).claims.sub).toBe(ada.subject);
  });

  it('with --retire removes the old keys, and their signatures become invalid', async () => {
    const before = await (await newClient()).signIn(ada.authenticator);
    await stack.operator('key', 'rotate', org, '--retire');
    const after = await eventually(async () => {
      const signed = await (await newClient()).signIn(ada.authenticator);
      return kidOf(signed.idToken) !== kidOf(before.idToken) && signed;
    }, 'a signature by the new key');
    await jwtVerify(after.idToken, createLocalJWKSet(await keys()), { issuer });
    await expect(jwtVerify(before.idToken, createLocalJWKSet(await keys()), { issuer })).rejects.toThrow();
  });
});

it('signs in with passkeys of other algorithms and with synced ones', async () => {
  const site = await newClient();
  for (const authenticator of [
    new SoftwareAuthenticator({ algorithm: 'RS256' }),
    new SoftwareAuthenticator({ synced: true, algorithm: 'EdDSA' }),
  ]) {
    const customer = await newCustomer(new Client(stack, shop.app), authenticator);
    expect((await site.signIn(authenticator)).claims.sub).toBe(customer.subject);
    expect((await site.signIn(authenticator)).claims.sub).toBe(customer.subject);
  }
});

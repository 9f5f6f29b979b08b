// Access tokens of an organization's issuer: as JWTs (RFC 9068), and bound to a key (RFC 9449).
import { beforeAll, describe, expect, it } from '@jest/globals';
import { createRemoteJWKSet, decodeJwt, decodeProtectedHeader, importJWK, jwtVerify, type CryptoKey } from 'jose';
import * as oidc from 'openid-client';
import { basic, Client } from '../clients/client.ts';
import { exchange, type Problem } from '../clients/http.ts';
import { customerScopes, stack } from '../clients/under-test.ts';
import { newPerson, type Person } from '../people/person.fixture.ts';
import { newCustomer, signIn, type Customer } from '../sign-in/customer.fixture.ts';
import { RelyingParty } from '../sign-in/relying-party.fixture.ts';
import { UserAgent } from '../sign-in/user-agent.ts';
import { newKey, nowSeconds, ofToken, proofOf, withAssertion, withKeyFiles, type Key } from './keys.fixture.ts';

withKeyFiles();

let org: string;
let issuer: string;
let [shop, staff] = [] as unknown as [RelyingParty, RelyingParty];
let ada: Customer;
let employee: Person;
let key: Key;

beforeAll(async () => {
  org = await stack.newOrganization();
  issuer = `${stack.baseUrl}/o/${org}`;
  [shop, staff] = await Promise.all([
    RelyingParty.make(org, 'shop', { grants: customerScopes, accessTokenFormat: 'jwt' }),
    RelyingParty.make(org, 'staff', { audience: 'people', accessTokenFormat: 'jwt', idTokenAlg: 'ES256' }),
  ]);
  ada = await newCustomer(new Client(stack, shop.app));
  employee = await newPerson(org, ['owner']);
  await stack.operator('assignment', 'add', org, staff.app.clientId, '--user', employee.id);
  key = await newKey('ES256');
});

const keys = () => createRemoteJWKSet(new URL(`${issuer}/jwks`));
const post = async (path: string, form: Record<string, string>, headers: Record<string, string> = {}) => {
  const response = await fetch(issuer + path, { method: 'POST', headers, body: new URLSearchParams(form) });
  const text = await response.text();
  const json = (text ? JSON.parse(text) : {}) as Record<string, unknown>;
  return { status: response.status, json, headers: response.headers };
};
const about = (token: string) => post('/token/introspection', { token }, { authorization: basic(shop.app) });

describe('an access token in the format jwt', () => {
  it('is verified by the keys of the issuer, and names customer and app', async () => {
    const { accessToken } = await shop.signIn(ada.authenticator);
    const { payload, protectedHeader } = await jwtVerify(accessToken, keys(), {
      issuer,
      audience: shop.app.clientId,
      typ: 'at+jwt',
      algorithms: ['RS256'],
      requiredClaims: ['iss', 'aud', 'sub', 'client_id', 'jti', 'iat', 'exp', 'scope'],
    });
    expect(Object.keys(protectedHeader).sort()).toEqual(['alg', 'kid', 'typ']);
    expect(payload).toMatchObject({ sub: ada.subject, client_id: shop.app.clientId, scope: 'openid' });
    expect(payload.exp! - payload.iat!).toBe(600);
    expect(Math.abs(payload.iat! - nowSeconds())).toBeLessThan(30);
    const second = await shop.signIn(ada.authenticator);
    expect(decodeJwt(second.accessToken).jti).not.toBe(payload.jti);
  });

  it('has no name, e-mail or group of a person, and is signed as the ID tokens of its app', async () => {
    const scope = 'openid email profile groups';
    const { accessToken, claims } = await staff.signIn(employee.authenticator, { more: { scope } });
    expect(claims).toMatchObject({ email: employee.email });
    const { payload } = await jwtVerify(accessToken, keys(), { issuer, typ: 'at+jwt', algorithms: ['ES256'] });
    expect(payload).toMatchObject({ sub: employee.id, scope });
    for (const claim of ['email', 'name', 'groups']) expect(payload).not.toHaveProperty(claim);
    expect(JSON.stringify(payload)).not.toContain(employee.email);
  });

  it('is refused everywhere as soon as it is revoked, except by who verifies the signature alone', async () => {
    const { accessToken, refreshToken } = await shop.signIn(ada.authenticator);
    expect((await shop.userinfo(accessToken)).json).toMatchObject({ sub: ada.subject });
    expect((await about(accessToken)).json).toMatchObject({ active: true, aud: shop.app.clientId });
    const authorization = basic(shop.app);
    expect((await post('/token/revocation', { token: accessToken }, { authorization })).status).toBe(200);
    for (const gateway of stack.gateways) expect((await shop.userinfo(accessToken, org, gateway)).status).toBe(401);
    expect((await about(accessToken)).json).toEqual({ active: false });
    // Documented: docs/connect.md.
    await jwtVerify(accessToken, keys(), { issuer, typ: 'at+jwt' });
    expect((await shop.refresh(refreshToken)).json.error).toBe('invalid_grant');
  });

  it('is refused at the APIs of customers and of the organization, and at the platform issuer', async () => {
    const ofCustomer = (await shop.signIn(ada.authenticator)).accessToken;
    const ofOwner = (await staff.signIn(employee.authenticator)).accessToken;
    const paths = ['credentials/subjects', 'admin/apps', 'admin/users', 'admin/audit/events', 'admin/events'];
    for (const token of [ofCustomer, ofOwner]) {
      for (const [i, path] of paths.entries()) {
        const { status, body } = await exchange<Problem>({
          origin: stack.gateways[i % stack.gateways.length]!,
          path: `/o/${org}/api/${path}`,
          headers: { authorization: `Bearer ${token}` },
        });
        expect([path, status, body.code]).toEqual([path, 401, 'invalid_token']);
      }
      const { status } = await fetch(`${stack.baseUrl}/oauth2/token`, {
        method: 'POST',
        body: new URLSearchParams({
          grant_type: 'client_credentials',
          scope: 'issued:read',
          client_id: shop.app.clientId,
          ...withAssertion(token),
        }),
      });
      expect([400, 401]).toContain(status);
    }
  });

  it('is no ID token, and an ID token or a token of the platform is none', async () => {
    const { accessToken, idToken } = await shop.signIn(ada.authenticator);
    expect(decodeProtectedHeader(idToken).typ).not.toBe('at+jwt');
    const ofPlatform = await new Client(stack, shop.app).newToken();
    for (const token of [idToken, ofPlatform, decodeJwt(accessToken).jti!])
      expect((await shop.userinfo(token)).status).toBe(401);
    const { status } = await new UserAgent(stack.baseUrl).go(`/o/${org}/session/end?id_token_hint=${accessToken}`);
    expect(status).toBe(400);
  });
});

describe.each(['web', 'spa'] as const)('DPoP at the issuer, for a %s app that requires it', (kind) => {
  let party: RelyingParty;
  beforeAll(async () => {
    party = await RelyingParty.make(org, `bound ${kind}`, { kind, requireDpop: true, accessTokenFormat: 'jwt' });
  });

  async function boundTokens() {
    const DPoP = oidc.getDPoPHandle(party.config, {
      privateKey: key.privateKey,
      publicKey: (await importJWK(key.publicJwk, key.alg)) as CryptoKey,
    });
    const { url, checks } = await party.begin();
    const { location } = await signIn(new UserAgent(stack.baseUrl), url, ada.authenticator);
    const tokens = await oidc.authorizationCodeGrant(party.config, new URL(location), checks, undefined, { DPoP });
    return { tokens, DPoP };
  }

  it('binds the tokens to the key of a standard client, for userinfo and refreshing', async () => {
    const { tokens, DPoP } = await boundTokens();
    expect(tokens.token_type.toLowerCase()).toBe('dpop');
    expect(await oidc.fetchUserInfo(party.config, tokens.access_token, ada.subject, { DPoP })).toMatchObject({
      sub: ada.subject,
    });
    const { payload } = await jwtVerify(tokens.access_token, keys(), { issuer, typ: 'at+jwt' });
    expect(payload.cnf).toEqual({ jkt: expect.any(String) });
    const refreshed = await oidc.refreshTokenGrant(party.config, tokens.refresh_token!, undefined, { DPoP });
    expect(refreshed.token_type.toLowerCase()).toBe('dpop');
  });

  it('refuses the code without a proof, and a stolen token', async () => {
    const { code, code_verifier } = await party.code(ada.authenticator);
    expect(await party.token({ code, code_verifier })).toMatchObject({
      status: 400,
      json: { error: 'invalid_dpop_proof' },
    });
    const { tokens } = await boundTokens();
    expect((await party.userinfo(tokens.access_token)).status).toBe(401);
    const thief = await newKey('ES256');
    const address = `${issuer}/userinfo`;
    const used = await proofOf(key, 'GET', address, ofToken(tokens.access_token));
    const statusOf = async (dpop: string, gateway = stack.baseUrl) => {
      const headers = { authorization: `DPoP ${tokens.access_token}`, dpop };
      return (await fetch(`${gateway}/o/${org}/userinfo`, { headers })).status;
    };
    expect(await statusOf(await proofOf(thief, 'GET', address, ofToken(tokens.access_token)))).toBe(401);
    expect(await statusOf(await proofOf(key, 'POST', address, ofToken(tokens.access_token)))).toBe(401);
    expect(await statusOf(await proofOf(key, 'GET', address, ofToken('another')))).toBe(401);
    expect(await statusOf(used)).toBe(200);
    for (const gateway of stack.gateways) expect(await statusOf(used, gateway)).toBe(401);
  });
});

describe('a page of a single-page app', () => {
  it('may send proofs, and reads the nonce that it needs', async () => {
    const uri = 'https://page.example/callback';
    const page = await RelyingParty.make(org, 'page', { kind: 'spa', requireDpop: true, redirectUris: [uri] });
    const origin = new URL(uri).origin;
    const preflight = await fetch(`${issuer}/token`, {
      method: 'OPTIONS',
      headers: {
        origin,
        'access-control-request-method': 'POST',
        'access-control-request-headers': 'content-type,dpop',
      },
    });
    expect(preflight.headers.get('access-control-allow-origin')).toBe(origin);
    expect(preflight.headers.get('access-control-allow-headers')?.toLowerCase()).toContain('dpop');
    const { code, code_verifier } = await page.code(ada.authenticator);
    const form = {
      grant_type: 'authorization_code',
      client_id: page.app.clientId,
      redirect_uri: uri,
      code,
      code_verifier,
    };
    const late = await proofOf(key, 'POST', `${issuer}/token`, { iat: nowSeconds() - 600 });
    const refused = await post('/token', form, { origin, dpop: late });
    expect(refused).toMatchObject({ status: 400, json: { error: 'use_dpop_nonce' } });
    expect(refused.headers.get('access-control-allow-origin')).toBe(origin);
    expect(refused.headers.get('access-control-expose-headers')?.toLowerCase()).toContain('dpop-nonce');
    const nonce = refused.headers.get('dpop-nonce');
    const again = await proofOf(key, 'POST', `${issuer}/token`, { iat: nowSeconds() - 600, nonce });
    expect(await post('/token', form, { origin, dpop: again })).toMatchObject({
      status: 200,
      json: { token_type: 'DPoP' },
    });
  });
});

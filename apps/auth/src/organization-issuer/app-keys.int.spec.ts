import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import * as oidc from 'openid-client';
import type { App } from '@holdfast/contracts';
import { addApp, AuthStack } from '../auth-stack.fixture.js';
import { clientAssertion, dpopProof, newClientKey, withAssertion, type ClientKey } from '../client-key.fixture.js';
import { RelyingParty } from '../relying-party.fixture.js';
import { newCustomer, stubs } from '../service-stubs.fixture.js';
import { TestBrowser } from '../test-browser.fixture.js';

let stack: AuthStack;
let key: ClientKey;
let issuer: string;
beforeAll(async () => {
  stack = await AuthStack.start();
  key = await newClientKey('EdDSA');
  issuer = `${stack.base}/o/acme`;
});
afterAll(() => stack.stop());

const byKey = () =>
  ({ tokenEndpointAuthMethod: 'private_key_jwt', jwks: { keys: [key.publicJwk] } }) as unknown as Partial<App>;

async function post(path: string, parameters: Record<string, string>, headers: Record<string, string> = {}) {
  const response = await fetch(issuer + path, { method: 'POST', body: new URLSearchParams(parameters), headers });
  const text = await response.text();
  return { status: response.status, json: text ? (JSON.parse(text) as Record<string, string>) : {} };
}

describe('an app that signs customers in with a private key', () => {
  test('exchanges its code, refreshes, and revokes with assertions by a standard client', async () => {
    const shop = await RelyingParty.start(stack, byKey());
    const config = await oidc.discovery(
      new URL(issuer),
      shop.app.clientId,
      undefined,
      oidc.PrivateKeyJwt({ key: key.key, kid: key.kid }),
      { execute: [oidc.allowInsecureRequests] },
    );
    const party = Object.assign(Object.create(RelyingParty.prototype) as RelyingParty, { ...shop, config });
    const { tokens, refreshToken } = await party.signIn();
    expect((await shop.userinfo(tokens.access_token)).status).toBe(200);
    const refreshed = await oidc.refreshTokenGrant(config, refreshToken);
    await oidc.tokenRevocation(config, refreshed.refresh_token!);
    expect((await shop.userinfo(refreshed.access_token)).status).toBe(401);
    await expect(oidc.refreshTokenGrant(config, refreshed.refresh_token!)).rejects.toMatchObject({
      error: 'invalid_grant',
    });
  });

  test('is refused with a secret, and with an assertion that is used twice or for the platform issuer', async () => {
    const shop = await RelyingParty.start(stack, byKey());
    const { code, verifier } = await shop.code();
    expect(await shop.exchange({ code, code_verifier: verifier })).toMatchObject({ status: 401 });
    const form = {
      grant_type: 'authorization_code',
      redirect_uri: shop.app.redirectUri,
      code,
      code_verifier: verifier,
    };
    const forPlatform = await clientAssertion(key, shop.app.clientId, stack.base);
    expect(await post('/token', { ...form, ...withAssertion(forPlatform) })).toMatchObject({ status: 401 });
    const assertion = withAssertion(await clientAssertion(key, shop.app.clientId, issuer));
    expect(await post('/token', { ...form, ...assertion })).toMatchObject({ status: 200 });
    stubs.records = [];
    expect(await post('/token/revocation', { token: 'x', ...assertion })).toMatchObject({ status: 401 });
    expect(stubs.records.map(({ record }) => [record.action, record.outcome.code, record.outcome.count])).toEqual([
      ['customer.token_revoke', 'invalid_client', 1],
    ]);
  });
});

describe('an app of another organization', () => {
  test('is refused with a right assertion', async () => {
    const { clientId } = addApp({ ...byKey(), org: 'globex' });
    const assertion = withAssertion(await clientAssertion(key, clientId, issuer));
    expect(await post('/token/revocation', { token: 'x', ...assertion })).toMatchObject({ status: 401 });
  });
});

describe('DPoP at the issuer of an organization', () => {
  test.each(['web', 'spa'] as const)('binds the tokens of a %s app to the key of a standard client', async (kind) => {
    const shop = await RelyingParty.start(stack, { kind, requireDpop: true });
    const pair = await oidc.randomDPoPKeyPair('ES256');
    const dpop = oidc.getDPoPHandle(shop.config, pair);
    const { url, checks } = await shop.begin();
    const as = newCustomer();
    const back = new URL(await new TestBrowser(stack.base).signIn(url, as));
    const tokens = await oidc.authorizationCodeGrant(shop.config, back, checks, undefined, { DPoP: dpop });
    expect(tokens.token_type.toLowerCase()).toBe('dpop');
    expect(await oidc.fetchUserInfo(shop.config, tokens.access_token, as, { DPoP: dpop })).toMatchObject({ sub: as });
    // Stolen, without the key.
    expect((await shop.userinfo(tokens.access_token)).status).toBe(401);
    const stolen = await dpopProof(key, 'GET', `${issuer}/userinfo`);
    const headers = { authorization: `DPoP ${tokens.access_token}`, dpop: stolen };
    expect((await fetch(`${issuer}/userinfo`, { headers })).status).toBe(401);
    // A public client's refresh token is bound as well (RFC 9449 §5).
    const proof = { dpop: await dpopProof(key, 'POST', `${issuer}/token`) };
    const form = { grant_type: 'refresh_token', refresh_token: tokens.refresh_token!, client_id: shop.app.clientId };
    if (kind === 'spa') expect(await post('/token', form, proof)).toMatchObject({ status: 400 });
    const refreshed = await oidc.refreshTokenGrant(shop.config, tokens.refresh_token!, undefined, { DPoP: dpop });
    expect(refreshed.token_type.toLowerCase()).toBe('dpop');
  });

  test('is needed by an app that requires it; its code stays valid', async () => {
    const shop = await RelyingParty.start(stack, { requireDpop: true });
    const { code, verifier } = await shop.code();
    expect(await shop.exchange({ code, code_verifier: verifier })).toMatchObject({
      status: 400,
      json: { error: 'invalid_dpop_proof' },
    });
  });

  test('refuses a bearer token that is sent with a proof', async () => {
    const shop = await RelyingParty.start(stack, {});
    const { tokens } = await shop.signIn();
    const proof = await dpopProof(key, 'GET', `${issuer}/userinfo`);
    const headers = { authorization: `DPoP ${tokens.access_token}`, dpop: proof };
    expect((await fetch(`${issuer}/userinfo`, { headers })).status).toBe(401);
    expect((await shop.userinfo(tokens.access_token)).status).toBe(200);
  });
});

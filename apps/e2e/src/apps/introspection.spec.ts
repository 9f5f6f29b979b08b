// RFC 7662 at the issuer of an organization: a confidential app asks whether its tokens are active.
import { beforeAll, describe, expect, it } from '@jest/globals';
import { SoftwareAuthenticator } from '@holdfast/testing';
import { basic, Client } from '../clients/client.ts';
import { customerScopes, stack } from '../clients/under-test.ts';
import { newPerson, type Person } from '../people/person.fixture.ts';
import { newCustomer, type Customer } from '../sign-in/customer.fixture.ts';
import { RelyingParty } from '../sign-in/relying-party.fixture.ts';
import { query } from '../stack/database.ts';
import type { App } from '../stack/stack.ts';
import { assertionOf, byKey, jwksFile, newKey, withAssertion, withKeyFiles } from './keys.fixture.ts';

withKeyFiles();

let org: string;
let elsewhere: string;
let { shop, kiosk, staff, spa, foreign } = {} as Record<'shop' | 'kiosk' | 'staff' | 'spa' | 'foreign', RelyingParty>;
let ada: Customer;
let employee: Person;

beforeAll(async () => {
  [org, elsewhere] = await Promise.all([stack.newOrganization(), stack.newOrganization()]);
  [shop, kiosk, staff, spa, foreign] = await Promise.all([
    RelyingParty.make(org, 'shop', { grants: customerScopes }),
    RelyingParty.make(org, 'kiosk'),
    RelyingParty.make(org, 'staff', { audience: 'people' }),
    RelyingParty.make(org, 'single page', { kind: 'spa' }),
    RelyingParty.make(elsewhere, 'shop', { grants: customerScopes }),
  ]);
  ada = await newCustomer(new Client(stack, shop.app));
  employee = await newPerson(org);
  await stack.operator('assignment', 'add', org, staff.app.clientId, '--user', employee.id);
});

const inactive = { active: false };

async function post(
  form: Record<string, string>,
  { as, at = org }: { as?: App | undefined; at?: string } = {},
): Promise<{ status: number; json: Record<string, unknown>; headers: Headers }> {
  const response = await fetch(`${stack.baseUrl}/o/${at}/token/introspection`, {
    method: 'POST',
    headers: as ? { authorization: basic(as) } : {},
    body: new URLSearchParams(form),
  });
  const text = await response.text();
  return {
    status: response.status,
    json: text ? (JSON.parse(text) as Record<string, unknown>) : {},
    headers: response.headers,
  };
}
const introspect = async (token: string, as = shop.app, more = {}) => (await post({ token, ...more }, { as })).json;
const revoke = ({ app }: RelyingParty, token: string) =>
  fetch(`${stack.baseUrl}/o/${org}/token/revocation`, {
    method: 'POST',
    headers: { authorization: basic(app) },
    body: new URLSearchParams({ token }),
  });

describe('introspection', () => {
  it('is in the metadata of the issuer, for confidential clients', async () => {
    const response = await fetch(`${stack.baseUrl}/o/${org}/.well-known/openid-configuration`);
    const metadata = (await response.json()) as Record<string, unknown>;
    expect(metadata).toMatchObject({ introspection_endpoint: `${stack.baseUrl}/o/${org}/token/introspection` });
    const methods =
      metadata.introspection_endpoint_auth_methods_supported ?? metadata.token_endpoint_auth_methods_supported;
    expect(methods).toEqual(expect.arrayContaining(['client_secret_basic', 'private_key_jwt']));
  });

  it('describes active tokens of the app, whatever the hint says, and may not be cached', async () => {
    const { accessToken, refreshToken } = await shop.signIn(ada.authenticator);
    const { status, json, headers } = await post({ token: accessToken }, { as: shop.app });
    expect([status, headers.get('cache-control')]).toEqual([200, expect.stringContaining('no-store')]);
    expect(json).toEqual({
      active: true,
      sub: ada.subject,
      client_id: shop.app.clientId,
      iss: `${stack.baseUrl}/o/${org}`,
      scope: 'openid',
      token_type: 'Bearer',
      iat: expect.any(Number),
      exp: expect.any(Number),
      sid: expect.any(String),
    });
    for (const hint of ['access_token', 'refresh_token', 'made_up'])
      for (const token of [accessToken, refreshToken])
        expect(await introspect(token, shop.app, { token_type_hint: hint })).toMatchObject({ active: true });
  });

  it('tells no name, e-mail or group of a person, also when the token has these scopes', async () => {
    const scope = 'openid email profile groups';
    const { accessToken, refreshToken } = await staff.signIn(employee.authenticator, { more: { scope } });
    expect((await staff.userinfo(accessToken)).json).toMatchObject({ email: employee.email });
    for (const token of [accessToken, refreshToken]) {
      const found = await introspect(token, staff.app);
      expect(found).toMatchObject({ active: true, sub: employee.id, scope });
      expect(Object.keys(found).sort()).toEqual(
        expect.arrayContaining(['active', 'client_id', 'exp', 'iat', 'iss', 'scope', 'sub']),
      );
      for (const claim of ['email', 'name', 'groups', 'username', 'credential', 'acr', 'amr'])
        expect(found).not.toHaveProperty(claim);
      expect(JSON.stringify(found)).not.toContain(employee.email);
    }
  });

  it('shows a token to no other app, organization or issuer', async () => {
    const { accessToken, refreshToken } = await shop.signIn(ada.authenticator);
    for (const token of [accessToken, refreshToken]) {
      expect(await introspect(token, kiosk.app)).toEqual(inactive);
      expect(await introspect(token, staff.app)).toEqual(inactive);
      expect((await post({ token }, { as: foreign.app, at: elsewhere })).json).toEqual(inactive);
      expect(await post({ token }, { as: foreign.app })).toMatchObject({ status: 401 });
      expect(await post({ token }, { as: shop.app, at: elsewhere })).toMatchObject({ status: 401 });
    }
    expect(await introspect(accessToken)).toMatchObject({ active: true });
  });

  it('shows nothing revoked, expired, used or made up', async () => {
    const first = await shop.signIn(ada.authenticator);
    expect((await revoke(shop, first.accessToken)).status).toBe(200);
    // All tokens of the sign-in end with one of them.
    for (const token of [first.accessToken, first.refreshToken]) expect(await introspect(token)).toEqual(inactive);
    const { refreshToken: used } = await shop.signIn(ada.authenticator);
    const second = await shop.refresh(used);
    expect(await introspect(used)).toEqual(inactive);
    expect(await introspect(second.json.access_token!)).toMatchObject({ active: true });
    await query(
      stack,
      `UPDATE auth.oidc_state SET expires_at = now() - interval '1 second' WHERE org = $1 AND model = 'AccessToken'`,
      [org],
    );
    expect(await introspect(second.json.access_token!)).toEqual(inactive);
    expect((await revoke(shop, second.json.refresh_token!)).status).toBe(200);
    expect(await introspect(second.json.refresh_token!)).toEqual(inactive);
    const ofPlatform = await new Client(stack, shop.app, ['issued:read']).newToken();
    const madeUp = ['nothing', 'a.b.c', 'jwt.x', '%00', '\u0000', 'ä'.repeat(50), 'x'.repeat(5000)];
    for (const token of [...madeUp, first.idToken, ofPlatform]) expect(await introspect(token)).toEqual(inactive);
  });

  it('shows no token of a customer who was suspended or erased, nor of a person who was deactivated', async () => {
    const client = new Client(stack, shop.app);
    const customer = await newCustomer(client, new SoftwareAuthenticator());
    const { accessToken, refreshToken } = await shop.signIn(customer.authenticator);
    expect((await client.manage('suspend', customer.credentialId)).status).toBe(200);
    for (const token of [accessToken, refreshToken]) expect(await introspect(token)).toEqual(inactive);
    const erased = await newCustomer(client, new SoftwareAuthenticator());
    const tokens = await shop.signIn(erased.authenticator);
    expect((await client.erase(erased.subject)).status).toBe(204);
    for (const token of [tokens.accessToken, tokens.refreshToken]) expect(await introspect(token)).toEqual(inactive);
    const colleague = await newPerson(org);
    await stack.operator('assignment', 'add', org, staff.app.clientId, '--user', colleague.id);
    const ofStaff = await staff.signIn(colleague.authenticator);
    await stack.operator('person', 'deactivate', org, colleague.id);
    for (const token of [ofStaff.accessToken, ofStaff.refreshToken])
      expect(await introspect(token, staff.app)).toEqual(inactive);
  });

  it('is refused without authentication, with a wrong secret, for a public app and as GET', async () => {
    const { accessToken: token } = await shop.signIn(ada.authenticator);
    const ofSpa = spa.app;
    const refused: [Parameters<typeof post>, number[]][] = [
      [[{ token }], [400, 401]],
      [[{ token }, { as: { ...shop.app, clientSecret: 'wrong' } }], [401]],
      [[{ token, client_id: shop.app.clientId }], [401]],
      [[{ token, client_id: ofSpa.clientId }], [401]],
      [
        [{ token }, { as: { ...ofSpa, clientSecret: '' } }],
        [400, 401],
      ],
      [[{}, { as: shop.app }], [400]],
    ];
    for (const [request, statuses] of refused) {
      const { status, json } = await post(...request);
      expect(statuses).toContain(status);
      expect(json).not.toHaveProperty('active');
    }
    const address = `${stack.baseUrl}/o/${org}/token/introspection?token=${token}`;
    const asGet = await fetch(address, { headers: { authorization: basic(shop.app) } });
    expect([404, 405]).toContain(asGet.status);
    const inQuery = await fetch(address, { method: 'POST', headers: { authorization: basic(shop.app) } });
    expect(inQuery.status).toBe(400);
  });

  it('accepts an app with a private key, each assertion once', async () => {
    const key = await newKey('ES256');
    const { app } = await stack.operator<{ app: App }>(
      ...['app', 'create', org, '--name', 'by key', '--kind', 'web', '--redirect-uri', 'https://shop.example/key'],
      ...byKey('--jwks-file', jwksFile(key.publicJwk)),
    );
    const assertion = await assertionOf(app, key, { aud: `${stack.baseUrl}/o/${org}` });
    expect(await post({ token: 'x', ...withAssertion(assertion) })).toMatchObject({ status: 200, json: inactive });
    expect(await post({ token: 'x', ...withAssertion(assertion) })).toMatchObject({ status: 401 });
    const forPlatform = await assertionOf(app, key);
    expect(await post({ token: 'x', ...withAssertion(forPlatform) })).toMatchObject({ status: 401 });
  });
});

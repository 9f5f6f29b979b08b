// What modules of the OpenID conformance suite (Basic OP, Back-Channel OP) require, by the names of the modules.
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { decodeJwt } from 'jose';
import { eventually } from '@holdfast/testing';
import { Client } from '../clients/client.ts';
import { closeConnections } from '../clients/http.ts';
import { customerScopes, stack } from '../clients/under-test.ts';
import { newCustomer, signIn, type Customer } from './customer.fixture.ts';
import { LogoutReceiver } from './logout-receiver.fixture.ts';
import { RelyingParty } from './relying-party.fixture.ts';
import { UserAgent } from './user-agent.ts';

const receiver = new LogoutReceiver();
let org: string;
let client: RelyingParty;
let second: RelyingParty;
let ada: Customer;
beforeAll(async () => {
  await receiver.open();
  org = await stack.newOrganization();
  const make = (name: string) =>
    RelyingParty.make(org, name, {
      grants: customerScopes,
      pkce: 'optional_without_nonce',
      backchannelLogoutUri: receiver.urlOf(`/${name}`),
    });
  [client, second] = [await make('one'), await make('two')];
  ada = await newCustomer(new Client(stack, client.app));
});
afterAll(() => {
  receiver.close();
  closeConnections();
});

const bare = { code_challenge: undefined, code_challenge_method: undefined, nonce: undefined };

/** Signs in with neither PKCE nor a nonce. Returns the response of the token endpoint. */
async function signInBare(more: Record<string, string | undefined> = {}) {
  const agent = new UserAgent(stack.baseUrl);
  const { url } = await client.begin({ ...bare, ...more });
  const { location } = await signIn(agent, url, ada.authenticator);
  const code = new URL(location).searchParams.get('code')!;
  return { agent, ...(await client.token({ code })) };
}

describe('Basic OP', () => {
  it('oidcc-ensure-request-without-nonce-succeeds-for-code-flow, without PKCE', async () => {
    const { status, json } = await signInBare();
    expect(status).toBe(200);
    expect(decodeJwt(json.id_token!)).not.toHaveProperty('nonce');
  });

  it('oidcc-scope-profile, oidcc-scope-email: a scope that discovery lists has its claims', async () => {
    const { scopes_supported: scopes } = client.config.serverMetadata();
    expect(scopes).toEqual(['openid']);
    const { json } = await signInBare({ scope: 'openid profile email' });
    expect(json.scope).toBe('openid');
  });

  it('oidcc-unsigned-request-object-supported-correctly-or-rejected-as-unsupported', async () => {
    const { error } = await client.silently(new UserAgent(stack.baseUrl), { request: 'eyJhbGciOiJub25lIn0.e30.' });
    expect(error).toBe('request_not_supported');
  });
});

describe('Back-Channel OP', () => {
  it('oidcc-backchannel-rp-initiated-logout: the client that begins the sign-out is notified too', async () => {
    const { agent, json } = await signInBare();
    expect(await second.silently(agent)).toHaveProperty('code');
    const { sid } = decodeJwt(json.id_token!);
    const query = new URLSearchParams({
      id_token_hint: json.id_token!,
      post_logout_redirect_uri: 'https://shop.example/bye',
      state: 'the state',
    });
    const { location } = await agent.go(`/o/${org}/session/end?${query}`);
    expect(location).toBe('https://shop.example/bye?state=the+state');
    const issuer = client.config.serverMetadata().issuer;
    for (const [path, party] of [
      ['/one', client],
      ['/two', second],
    ] as const) {
      await eventually(() => expect(receiver.calls(path)).toBe(1));
      const [token] = await receiver.claims(path, issuer, party.app.clientId);
      expect(token).toMatchObject({ sub: ada.subject, sid: party === client ? sid : expect.any(String) });
    }
  });
});

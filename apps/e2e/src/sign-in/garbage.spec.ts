// Garbage in every field, header and cookie is rejected with 4xx or an OAuth error, never accepted and never a 5xx.
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { SoftwareAuthenticator } from '@holdfast/testing';
import { Client } from '../clients/client.ts';
import { closeConnections, exchange, type WireRequest } from '../clients/http.ts';
import { customerScopes, stack } from '../clients/under-test.ts';
import { beginClaim, beginSignIn, newCustomer, tokenOf, type Customer } from './customer.fixture.ts';
import { RelyingParty } from './relying-party.fixture.ts';
import { UserAgent } from './user-agent.ts';

let shop: RelyingParty;
let client: Client;
let ada: Customer;
let issuer: string;
beforeAll(async () => {
  const org = await stack.newOrganization();
  shop = await RelyingParty.make(org, 'shop', { grants: customerScopes });
  client = new Client(stack, shop.app);
  ada = await newCustomer(client);
  issuer = `/o/${org}`;
});
afterAll(closeConnections);

/** Percent-encoded values, as they go over the wire. */
const texts = [
  '',
  '%00',
  '%FF',
  '%ZZ',
  '%',
  '%0D%0AX-Evil:%201',
  '..%2F..%2Fetc',
  '%F0%9F%98%80',
  'A'.repeat(5000),
  '%22%3E%3Cscript%3E',
  '__proto__',
  'null',
  '%27%20OR%201=1--',
  '%E2%80%AE',
  '-1',
];
const values: unknown[] = [
  null,
  true,
  0,
  -1,
  1e308,
  '',
  '\u0000',
  '\ud800',
  'x'.repeat(5000),
  [],
  [null],
  {},
  { __proto__: null, toString: 'x' },
  { $gt: '' },
  '../../x',
  '🔑'.repeat(50),
];

async function expectRejected(request: Omit<WireRequest, 'origin'>): Promise<void> {
  const { status, headers, text } = await exchange({ origin: stack.gateways[0]!, ...request });
  const isErrorRedirect = status === 303 && /[?&]error=/.test(headers.location ?? '');
  const isRefusedSignIn = status === 200 && text.startsWith('{"refused":');
  if (!isErrorRedirect && !isRefusedSignIn && (status < 400 || status >= 500)) {
    const { method = 'GET', path, body = '' } = request;
    const sent = `${method} ${path.slice(0, 200)} ${String(body).slice(0, 300)}`;
    throw new Error(`${sent} → ${status} ${text.slice(0, 300)}`);
  }
  expect(headers['x-evil']).toBeUndefined();
  expect(text).not.toContain('"><script>');
}

describe('the authorization endpoint', () => {
  it.each([
    'client_id',
    'redirect_uri',
    'response_type',
    'scope',
    'code_challenge',
    'code_challenge_method',
    'response_mode',
    'prompt',
    'max_age',
    'id_token_hint',
    'request',
    'request_uri',
  ])('rejects garbage in %s', async (name) => {
    const { url } = await shop.begin({ [name]: undefined });
    const { pathname, search } = new URL(url);
    // An empty parameter counts as missing, and some are optional (RFC 6749 §3.1).
    const optional = ['response_mode', 'prompt', 'max_age', 'id_token_hint', 'request', 'request_uri'];
    for (const text of texts)
      if (text !== '' || !optional.includes(name))
        await expectRejected({ path: `${pathname}${search}&${name}=${text}` });
  });

  it.each(['state', 'nonce', 'login_hint', 'ui_locales', 'display', 'acr_values', 'claims', 'unknown_parameter'])(
    'does not fail for garbage in %s, which it passes through or ignores',
    async (name) => {
      const { url } = await shop.begin({ [name]: undefined });
      const { pathname, search } = new URL(url);
      for (const text of texts) {
        const { status } = await exchange({ origin: stack.gateways[0]!, path: `${pathname}${search}&${name}=${text}` });
        expect([text.slice(0, 40), status >= 300 && status < 500]).toEqual([text.slice(0, 40), true]);
      }
    },
  );

  it('returns any state unchanged', async () => {
    for (const state of ['../../x', 'a b+c&d=e#f', '%ZZ', '🔑', '"><script>', 'A'.repeat(2000)]) {
      const agent = new UserAgent(stack.baseUrl);
      expect((await shop.silently(agent, { state, prompt: 'none' })).state).toBe(state);
    }
  });

  it('rejects garbage in cookies', async () => {
    const { url } = await shop.begin({ prompt: 'none' });
    const agent = new UserAgent(stack.baseUrl);
    await agent.go((await shop.begin()).url);
    const { pathname, search } = new URL(url);
    for (const { name } of [...agent.cookies])
      for (const value of ['', 'x', '"', '%00', 'é'.repeat(100), 'A'.repeat(3000), '; =;', '../..'])
        await expectRejected({
          path: pathname + search,
          headers: { cookie: Buffer.from(`${name}=${value}`).toString('latin1') },
        });
  });

  it('rejects other methods and other content types', async () => {
    for (const method of ['PUT', 'DELETE', 'PATCH'])
      for (const path of ['/authorize', '/token', '/userinfo', '/jwks', '/session/end'])
        await expectRejected({ method, path: issuer + path });
    for (const type of ['application/json', 'text/plain', 'multipart/form-data; boundary=x', ''])
      await expectRejected({
        method: 'POST',
        path: `${issuer}/authorize`,
        headers: { 'content-type': type },
        body: '{"a":1}',
      });
  });
});

describe('the token endpoint', () => {
  const send = (body: string, headers: Record<string, string> = {}) =>
    expectRejected({
      method: 'POST',
      path: `${issuer}/token`,
      body,
      headers: { 'content-type': 'application/x-www-form-urlencoded', ...headers },
    });

  it.each([
    'grant_type',
    'code',
    'redirect_uri',
    'code_verifier',
    'client_id',
    'client_secret',
    'refresh_token',
    'scope',
  ])('rejects garbage in %s', async (name) => {
    const { clientId, clientSecret } = shop.app;
    const grant = name === 'refresh_token' || name === 'scope' ? 'refresh_token' : 'authorization_code';
    const good = {
      grant_type: grant,
      code: 'x',
      redirect_uri: shop.redirectUri,
      code_verifier: 'x'.repeat(43),
      client_id: clientId,
      client_secret: clientSecret,
      refresh_token: 'x',
    };
    const rest = new URLSearchParams(Object.entries(good).filter(([key]) => key !== name)).toString();
    for (const text of texts) await send(`${rest}&${name}=${text}`);
  });

  it('rejects garbage in credentials, content type and body', async () => {
    for (const authorization of [
      '',
      'Basic',
      'Basic !',
      'Basic Og==',
      `Basic ${'A'.repeat(6000)}`,
      'Basic //8=',
      'Bearer x',
      'Digest x',
      `Basic ${Buffer.from('%ZZ:%ZZ').toString('base64')}`,
    ])
      await send('grant_type=authorization_code&code=x', { authorization });
    for (const type of ['application/json', 'text/plain', '', 'multipart/form-data'])
      await send('{"grant_type":"authorization_code"}', { 'content-type': type });
    for (const body of ['', '&&&&', '=', 'grant_type', 'grant_type=a&grant_type=b', 'x'.repeat(200_000)])
      await send(body);
  });
});

it('userinfo and sign-out reject garbage', async () => {
  for (const authorization of [
    '',
    'Bearer',
    'Bearer ',
    'Bearer !',
    `Bearer ${'A'.repeat(6000)}`,
    'bearer x y',
    'Basic eDp5',
    'Bearer eyJhbGciOiJub25lIn0.e30.',
  ])
    await expectRejected({ path: `${issuer}/userinfo`, headers: { authorization } });
  await expectRejected({ path: `${issuer}/userinfo?access_token=x` });
  for (const text of texts.filter(Boolean))
    await expectRejected({ path: `${issuer}/session/end?id_token_hint=${text}` });
  for (const text of texts.filter(Boolean))
    await expectRejected({
      path: `${issuer}/session/end?client_id=${shop.app.clientId}&post_logout_redirect_uri=${text}`,
    });
  for (const text of texts)
    await expectRejected({
      method: 'POST',
      path: `${issuer}/session/end/confirm`,
      body: `xsrf=${text}&logout=${text}`,
      headers: { 'content-type': 'application/x-www-form-urlencoded' },
    });
  for (const text of texts.filter(Boolean)) await expectRejected({ path: `${issuer}/authorize/${text}` });
  for (const text of texts.filter(Boolean))
    await expectRejected({ path: `/o/${text}/.well-known/openid-configuration` });
});

/** Copies of a response in which one member after the other is replaced by garbage or removed. */
function* damaged(response: object): Generator<object> {
  for (const [key, value] of Object.entries(response)) {
    for (const wrong of values) {
      // A verifier may ignore these.
      if (['clientExtensionResults', 'authenticatorAttachment', 'transports'].includes(key)) continue;
      yield { ...response, [key]: wrong };
    }
    const { [key]: _, ...without } = response as Record<string, unknown>;
    if (!['clientExtensionResults', 'authenticatorAttachment', 'transports'].includes(key)) yield without;
    if (value && typeof value === 'object' && !Array.isArray(value))
      for (const inner of damaged(value as object)) yield { ...response, [key]: inner };
  }
}

const json = { 'content-type': 'application/json' };

it('the routes of the claim page reject garbage', async () => {
  const { body } = await client.offer<{ claimUrl: string; subject: string }>();
  const token = tokenOf(body.claimUrl);
  const {
    body: { options },
    cookie,
  } = await beginClaim(client.app.org, token);
  const response = new SoftwareAuthenticator().register(options, { origin: stack.baseUrl });
  const post = (path: string, value: unknown, text?: string) =>
    expectRejected({
      method: 'POST',
      path: `${issuer}/api/claim${path}`,
      headers: { ...json, cookie },
      body: text ?? JSON.stringify(value),
    });
  for (const path of ['', '/options', '/complete']) {
    for (const value of values) await post(path, { token: value, response });
    for (const text of [
      '',
      'null',
      '[]',
      '"x"',
      '{',
      '{"token":',
      '{"token":"x","token":"y"}',
      '\u0000',
      '[['.repeat(500),
    ])
      await post(path, undefined, text);
    await post(path, { token, response, extra: 1 });
  }
  for (const wrong of damaged(response)) await post('/complete', { token, response: wrong });
  for (const wrong of values) await post('/complete', { token, response: wrong });
  expect((await client.get(body.subject)).body.claimed).toBe(false);
});

it('the routes of the sign-in page reject garbage', async () => {
  const agent = new UserAgent(stack.baseUrl);
  const page = await beginSignIn(agent, (await shop.begin()).url);
  const path = new URL(page, stack.baseUrl).pathname;
  const cookie = agent.cookies.map(({ name, value }) => `${name}=${value}`).join('; ');
  const options = (await agent.post(`${page}/options`)).json.options as object;
  const response = ada.authenticator.authenticate(options, { origin: stack.baseUrl });
  const post = (value: unknown, text?: string) =>
    expectRejected({
      method: 'POST',
      path: `${path}/complete`,
      headers: { ...json, cookie },
      body: text ?? JSON.stringify(value),
    });
  for (const text of ['', 'null', '[]', '"x"', '{', '\u0000', '[['.repeat(500)]) await post(undefined, text);
  for (const value of values) await post({ response: value });
  await post({ response, extra: 1 });
  for (const wrong of damaged(response)) await post({ response: wrong });
  for (const text of texts.filter(Boolean))
    await expectRejected({ path: `${issuer}/api/sign-in/${text}`, headers: { cookie } });
  for (const value of ['', 'x', 'A'.repeat(3000), '%00'])
    await expectRejected({ path, headers: { cookie: agent.cookies.map(({ name }) => `${name}=${value}`).join('; ') } });
});

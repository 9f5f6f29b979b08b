import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { UnsecuredJWT } from 'jose';
import type { App } from '@holdfast/contracts';
import { type AuthStack } from '../auth-stack.fixture.js';
import { RelyingParty, startRelyingParties } from '../relying-party.fixture.js';
import { stubs } from '../service-stubs.fixture.js';
import { TestBrowser } from '../test-browser.fixture.js';

let stack: AuthStack;
let parties: Record<string, RelyingParty>;

beforeAll(async () => {
  ({ stack, ...parties } = await startRelyingParties({
    web: {},
    optional: { pkce: 'optional' },
    neither: { pkce: 'optional_without_nonce' },
    spa: { kind: 'spa' },
    native: {
      kind: 'native',
      redirectUris: ['http://127.0.0.1:9000/callback', 'http://localhost:9000/callback', 'http://[::1]/x?a=b'],
    },
    loopback: { redirectUris: ['http://127.0.0.1:9000/callback'] },
  }));
});
afterAll(() => stack.stop());

/** The result of an authorization request: the error for the app, `sign-in`, or `page {status}` for an error page. */
async function resultOf(
  name: string,
  more: Record<string, string | undefined>,
  edit = (url: string) => url,
): Promise<string> {
  const { url } = await parties[name]!.begin(more);
  const { status, location, headers, text } = await new TestBrowser(stack.base).go(edit(url));
  if (location.includes('/sign-in/')) return 'sign-in';
  if (status === 303) {
    // Errors of unsupported response types may be in the fragment, as their standard defines. A code never is.
    const { searchParams, hash } = new URL(location);
    expect(location).not.toMatch(/[?#&]code=/);
    return searchParams.get('error') ?? new URLSearchParams(hash.slice(1)).get('error') ?? 'nothing';
  }
  expect(headers.get('content-type')).toContain('text/html');
  expect(headers.get('content-security-policy')).toMatch(
    /^default-src 'none'; style-src 'self'; img-src 'self' data:; form-action 'none'/,
  );
  expect(text).not.toContain('<script');
  return `page ${status}`;
}

describe('PKCE', () => {
  const none = { code_challenge: undefined, code_challenge_method: undefined };
  test.each([
    ['web', {}, 'sign-in'],
    ['web', none, 'invalid_request'],
    ['web', { code_challenge_method: 'plain' }, 'invalid_request'],
    ['web', { code_challenge_method: undefined }, 'invalid_request'],
    ['web', { code_challenge: undefined }, 'invalid_request'],
    ['web', { code_challenge: 'short' }, 'invalid_request'],
    ['web', { code_challenge_method: 's256' }, 'invalid_request'],
    ['web', { nonce: undefined }, 'sign-in'],
    ['spa', none, 'invalid_request'],
    ['spa', { code_challenge_method: 'plain' }, 'invalid_request'],
    ['native', none, 'invalid_request'],
    ['native', {}, 'sign-in'],
    ['optional', none, 'sign-in'],
    ['optional', { ...none, nonce: undefined }, 'invalid_request'],
    ['optional', { nonce: undefined }, 'invalid_request'],
    ['optional', { nonce: '', ...none }, 'invalid_request'],
    ['optional', { code_challenge_method: 'plain' }, 'invalid_request'],
    ['optional', { code_challenge: undefined }, 'invalid_request'],
    ['neither', { ...none, nonce: undefined }, 'sign-in'],
    ['neither', none, 'sign-in'],
    ['neither', {}, 'sign-in'],
    ['neither', { nonce: undefined, code_challenge_method: 'plain' }, 'invalid_request'],
    ['neither', { nonce: undefined, code_challenge_method: undefined }, 'invalid_request'],
    ['neither', { nonce: undefined, code_challenge: undefined }, 'invalid_request'],
  ])('of an app %s with %j: %s', async (name, more, result) => expect(await resultOf(name, more)).toBe(result));
});

describe('an authorization request', () => {
  test.each([
    [{ response_type: 'token' }, 'unsupported_response_type'],
    [{ response_type: 'id_token' }, 'unsupported_response_type'],
    [{ response_type: 'code id_token' }, 'unsupported_response_type'],
    [{ response_type: 'none' }, 'unsupported_response_type'],
    [{ response_mode: 'fragment' }, 'unsupported_response_mode'],
    [{ response_mode: 'web_message' }, 'unsupported_response_mode'],
    [{ response_mode: 'query.jwt' }, 'unsupported_response_mode'],
    [{ scope: undefined }, 'invalid_request'],
    [{ scope: undefined, nonce: undefined }, 'invalid_scope'],
    [{ scope: 'profile', nonce: undefined }, 'invalid_scope'],
    [{ scope: 'openid offline_access email' }, 'sign-in'],
    [{ prompt: 'consent' }, 'sign-in'],
    [{ prompt: 'select_account' }, 'sign-in'],
    [{ prompt: 'none' }, 'login_required'],
    [{ prompt: 'none login' }, 'invalid_request'],
    [{ prompt: 'create' }, 'invalid_request'],
    [{ max_age: '-1' }, 'invalid_request'],
    [{ request: 'eyJ' }, 'request_not_supported'],
    [{ request_uri: 'https://evil.example/' }, 'request_uri_not_supported'],
    [{ registration: '{}' }, 'registration_not_supported'],
    [{ acr_values: 'urn:x' }, 'sign-in'],
    [{ claims: '{"id_token":{"email":null}}' }, 'sign-in'],
    [{ resource: 'https://api.example' }, 'invalid_target'],
  ])('with %j: %s', async (more, result) => expect(await resultOf('web', more)).toBe(result));

  test('with a request object is refused in the response mode that the object names', async () => {
    const object = new UnsecuredJWT({ response_mode: 'form_post' }).encode();
    const { url } = await parties.web!.begin({ request: object });
    const { text } = await new TestBrowser(stack.base).go(url);
    expect(text).toContain('action="https://shop.example/callback"');
    expect(text).toContain('name="error" value="request_not_supported"');
    for (const mode of ['fragment', 'query', 1]) {
      const other = await parties.web!.begin({ request: new UnsecuredJWT({ response_mode: mode }).encode() });
      const { location } = await new TestBrowser(stack.base).go(other.url);
      expect(location).toMatch(/^https:\/\/shop\.example\/callback\?error=request_not_supported&/);
    }
  });

  test.each([
    'response%5Fmode=fragment',
    'response_mod%65=fragment',
    '%72esponse_mode=fragment',
    'response_mode=%66ragment',
    'response_mode=query&response%5Fmode=fragment',
    'response_mode=fragment&response_mode=query',
    'response%5Fmode=',
  ])('never gets a response in the fragment, however response_mode is spelled: %s', async (query) => {
    const { browser } = await parties.web!.signIn();
    const { url } = await parties.web!.begin({ prompt: 'none' });
    const { location } = await browser.go(`${url}&${query}`);
    expect(location).not.toMatch(/[?#&]code=/);
    expect(new URL(location).searchParams.get('error') ?? '').toMatch(/^(unsupported_response_mode|invalid_request)$/);
  });

  test('of an app of another organization, that signs nobody in, or that is disabled gets an error page', async () => {
    const others: Partial<App>[] = [{ kind: 'service' }, { redirectUris: [] }, { disabled: true }];
    for (const changes of others) {
      const party = await RelyingParty.start(stack, changes);
      const { url } = await party.begin({ redirect_uri: 'https://shop.example/callback' });
      expect((await new TestBrowser(stack.base).go(url)).status).toBe(400);
    }
    const { url } = await parties.web!.begin();
    const { status, text } = await new TestBrowser(stack.base).go(url.replace('/o/acme/', '/o/globex/'));
    expect([status, text.includes('Globex')]).toEqual([400, true]);
    expect(await resultOf('web', { client_id: 'app_"><script>alert(1)</script>' })).toBe('page 400');
  });

  test('by POST is redirected to the same request by GET, with which browsers send the session cookie', async () => {
    const { url } = await parties.web!.begin();
    const { searchParams, pathname } = new URL(url);
    const browser = new TestBrowser(stack.base);
    const { status, location } = await browser.form(pathname, Object.fromEntries(searchParams));
    expect([status, (await browser.go(location)).location.includes('/sign-in/')]).toEqual([303, true]);
    expect((await browser.post(pathname, {})).status).toBe(415);
    expect((await browser.form(pathname, { state: 'x'.repeat(10_000) })).status).toBe(413);
  });

  test('with a repeated parameter is rejected', async () => {
    for (const repeated of [
      'state=1',
      'client_id=x',
      'redirect_uri=https://evil.example',
      'code_challenge=x',
      'scope=openid',
    ])
      expect(await resultOf('web', {}, (url) => `${url}&${repeated}`)).toMatch(/^(invalid_request|page 400)$/);
    expect(await resultOf('web', {}, (url) => `${url}&redirect_uri=https://evil.example`)).toBe('page 400');
  });
});

describe('a redirect URI', () => {
  const registered = 'https://shop.example/callback';
  test.each([
    '',
    'https://shop.example',
    'https://shop.example/',
    `${registered}/`,
    `${registered}x`,
    `${registered}/..`,
    `${registered}/../callback`,
    'https://shop.example/./callback',
    'https://shop.example//callback',
    `${registered}?a=b`,
    `${registered}?`,
    `${registered}#`,
    `${registered}#x`,
    `${registered};x`,
    'https://shop.example/;x/callback',
    'https://shop.example/x/..;/callback',
    'https://shop.example/%63allback',
    'https://shop.example/callback%20',
    `${registered} `,
    ` ${registered}`,
    `${registered}\t`,
    `${registered}%00`,
    'https://shop.example/Callback',
    'HTTPS://shop.example/callback',
    'https://SHOP.example/callback',
    'http://shop.example/callback',
    'https://shop.example:443/callback',
    'https://shop.example:8443/callback',
    'https://shop.example./callback',
    'https://shop.example.evil.example/callback',
    'https://evil.example/callback',
    'https://evil.example/?https://shop.example/callback',
    'https://evil.example#@shop.example/callback',
    'https://shop.example@evil.example/callback',
    'https://user@shop.example/callback',
    'https://user:pw@shop.example/callback',
    'https://shop.example\\@evil.example/callback',
    'https:/shop.example/callback',
    'https:shop.example/callback',
    '//shop.example/callback',
    '/callback',
    'callback',
    '*',
    'https://*/callback',
    'https://xn--shp-vua.example/callback',
    'https://shоp.example/callback',
    'javascript:alert(1)//https://shop.example/callback',
    'data:text/html,x',
    'https://shop.example/callback,https://evil.example/',
    `${registered}\n.evil.example`,
    'https://shop.example/callback%0d%0aX: y',
    'https://127.0.0.1/callback',
  ])('is rejected with an error page: %j', async (redirect_uri) => {
    // The library rejects an empty one as missing. Either way there is an error page and no redirect.
    expect(await resultOf('web', { redirect_uri })).toBe('page 400');
    expect(
      await resultOf('web', { redirect_uri, prompt: 'none', response_type: 'token', response_mode: 'form_post' }),
    ).toBe('page 400');
  });
  test('that is missing is rejected with an error page', async () => {
    expect(await resultOf('web', { redirect_uri: undefined })).toBe('page 400');
  });
  test('that is registered is accepted', async () => {
    expect(await resultOf('web', { redirect_uri: registered })).toBe('sign-in');
  });

  test.each([
    ['http://127.0.0.1:9000/callback', true],
    ['http://127.0.0.1:51234/callback', true],
    ['http://127.0.0.1/callback', true],
    ['http://[::1]:4000/x?a=b', true],
    ['http://[::1]/x?a=b', true],
    ['http://localhost:9000/callback', true],
    ['http://localhost:9001/callback', false],
    ['http://127.0.0.1:9000/callback/', false],
    ['http://127.0.0.1:9000/other', false],
    ['https://127.0.0.1:9000/callback', false],
    ['http://127.0.0.2:9000/callback', false],
    ['http://127.0.0.1:9000/callback#x', false],
    ['http://user@127.0.0.1:9000/callback', false],
    ['http://127.0.0.1:9000@evil.example/callback', false],
    ['http://127.0.0.1.evil.example/callback', false],
    ['http://127.1:9000/callback', false],
    ['http://[::1]:4000/x?a=c', false],
    ['http://127.0.0.1:99999/callback', false],
    ['http://127.0.0.1:/callback', false],
  ])('of a native app may differ in the port of a loopback literal only: %s %s', async (redirect_uri, accepted) => {
    expect(await resultOf('native', { redirect_uri })).toBe(accepted ? 'sign-in' : 'page 400');
  });
  test('of a web app on a loopback address must have the registered port', async () => {
    expect(await resultOf('loopback', { redirect_uri: 'http://127.0.0.1:9001/callback' })).toBe('page 400');
  });
});

test('a suspended organization has no issuer', async () => {
  stubs.organizations.set('hooli', 'Hooli');
  const browser = new TestBrowser(stack.base);
  expect((await browser.go('/o/hooli/jwks')).status).toBe(200);
  await stack.changeDirectory(() => void stubs.organizations.delete('hooli'));
  for (const path of ['/o/hooli/jwks', '/o/hooli/authorize', '/o/hooli/userinfo'])
    expect((await browser.go(path)).status).toBe(404);
});

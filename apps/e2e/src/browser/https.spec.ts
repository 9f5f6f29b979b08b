// A stack under https and a name of its own, which no name server knows: claim, sign-in and logout at the example shop,
// with the local CA that the launcher makes.
import { hash, X509Certificate } from 'node:crypto';
import { lookup } from 'node:dns';
import { readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from '@jest/globals';
import type { Browser } from 'playwright-core';
import { Agent, request } from 'undici';
import { eventually, freePorts } from '@holdfast/testing';
import { PrivateStack } from '../chaos/private-stack.ts';
import { stack } from '../clients/under-test.ts';
import { launch, Visitor } from './chromium.fixture.ts';
import { claimByMessage, shopOf, shownClaim, signUp } from './shop.fixture.ts';
import { withBrowser } from './with-browser.fixture.ts';

const host = 'id.example.test';
const ownStack = new PrivateStack(join(stack.home, 'https'), 'gateway=1');
const tlsFile = (name: string) => join(ownStack.home, 'tls', name);
let baseUrl: string;
let agent: Agent;

beforeAll(async () => {
  const [port, shop] = [await freePorts(1), await freePorts(2)];
  baseUrl = `https://${host}:${port}`;
  ownStack.examples = true;
  ownStack.settings = { BASE_URL: baseUrl, PORT: '', SHOP_PORT: String(shop), KIOSK_PORT: String(shop + 1) };
  await ownStack.start();
  const ca = readFileSync(tlsFile('ca.crt'), 'utf8');
  agent = new Agent({ connect: { ca, lookup: (_name, options, done) => lookup('localhost', options, done) } });
});
afterAll(async () => {
  await agent?.close();
  await ownStack.remove();
});

/** A request of a program that trusts the CA. */
async function call<Body>(path: string, options: Parameters<typeof request>[1] = {}): Promise<Body> {
  const { statusCode, body } = await request(baseUrl + path, { dispatcher: agent, ...options });
  const text = await body.text();
  expect([path, statusCode < 300 ? 'success' : `${statusCode} ${text}`]).toEqual([path, 'success']);
  return (text ? JSON.parse(text) : undefined) as Body;
}

it('programs that trust the CA reach issuers, which have the name', async () => {
  const { issuer, token_endpoint } = await call<Record<string, string>>('/o/acme/.well-known/openid-configuration');
  expect([issuer, token_endpoint]).toEqual([`${baseUrl}/o/acme`, `${baseUrl}/o/acme/token`]);
  await expect(request(`${baseUrl}/healthz`, { dispatcher: new Agent({ connect: { lookup } }) })).rejects.toThrow();
  expect(ownStack.app('acme', 'shop').redirectUris).toContain(`${shopOf('acme', ownStack)}/callback`);
  expect(shopOf('acme', ownStack)).toMatch(`https://${host}:`);
});

it('only their owner can read the keys, and the next start uses the same CA and certificate', async () => {
  const modes = ['ca.key', 'server.key', ''].map((name) => statSync(tlsFile(name)).mode & 0o777);
  expect(modes).toEqual([0o600, 0o600, 0o700]);
  const before = ['ca.crt', 'server.crt'].map((name) => readFileSync(tlsFile(name), 'utf8'));
  await ownStack.stop();
  await ownStack.start();
  expect(['ca.crt', 'server.crt'].map((name) => readFileSync(tlsFile(name), 'utf8'))).toEqual(before);
});

withBrowser('a browser that trusts the CA', () => {
  let browser: Browser;
  let visitor: Visitor;
  beforeAll(async () => {
    const { publicKey } = new X509Certificate(readFileSync(tlsFile('ca.crt')));
    const spki = hash('sha256', publicKey.export({ type: 'spki', format: 'der' }), 'base64');
    browser = await launch(
      `--ignore-certificate-errors-spki-list=${spki}`,
      `--host-resolver-rules=MAP ${host} 127.0.0.1`,
    );
    visitor = await Visitor.open(browser, { host });
  });
  afterAll(() => browser?.close());

  it('claims and signs in at the shop, whose session ends when the credential is revoked', async () => {
    const { page } = visitor;
    await signUp(visitor, 'acme', 'Ada', shopOf('acme', ownStack));
    await claimByMessage(visitor);
    expect((await visitor.passkeys()).map(({ rpId }) => rpId)).toEqual([host]);
    await page.getByRole('link', { name: 'Sign in now' }).click();
    await visitor.heading('Hello, Ada');
    expect(await shownClaim(visitor, 'iss')).toBe(`${baseUrl}/o/acme`);
    const cookies = await page.context().cookies();
    expect(cookies.filter(({ secure }) => !secure)).toEqual([]);
    expect(cookies.some(({ name }) => name.startsWith('__'))).toBe(true);

    // The logout token reaches the shop over https as well.
    const api = '/o/acme/api/credentials';
    const subject = await shownClaim(visitor, 'sub');
    const { clientId, clientSecret, scopes } = ownStack.app('acme', 'shop');
    const { access_token } = await call<{ access_token: string }>('/oauth2/token', {
      method: 'POST',
      headers: {
        authorization: `Basic ${Buffer.from(`${clientId}:${clientSecret}`).toString('base64')}`,
        'content-type': 'application/x-www-form-urlencoded',
      },
      body: new URLSearchParams({ grant_type: 'client_credentials', scope: scopes.join(' ') }).toString(),
    });
    const headers = { authorization: `Bearer ${access_token}`, 'content-type': 'application/json' };
    const { credentials } = await call<{ credentials: { id: string }[] }>(`${api}/subjects/${subject}`, { headers });
    await visitor.setAutomaticConfirmation(false);
    await call(`${api}/issued/${credentials[0]!.id}/revoke`, { method: 'POST', headers, body: '{}' });
    const account = `${shopOf('acme', ownStack)}/account`;
    await eventually(
      async () => (await page.goto(account)) !== null && page.url() !== account,
      'the end of the session at the shop',
    );
    await visitor.heading('Sign in to Shop');
    expect(visitor.errors).toEqual([]);
  });
});

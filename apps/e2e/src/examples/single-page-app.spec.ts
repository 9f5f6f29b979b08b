// The example in the browser alone, by its commands in docs/quickstarts.md.
import { afterAll, beforeAll, beforeEach, expect, it } from '@jest/globals';
import type { Browser } from 'playwright-core';
import type { Offer } from '@holdfast/contracts';
import { freePort } from '@holdfast/testing';
import { launch, Visitor } from '../browser/chromium.fixture.ts';
import { withBrowser } from '../browser/with-browser.fixture.ts';
import { Client } from '../clients/client.ts';
import { closeConnections } from '../clients/http.ts';
import { customerScopes, stack } from '../clients/under-test.ts';
import { Example } from './example.fixture.ts';

withBrowser('the example in the browser alone', () => {
  let shop: Client;
  let origin: string;
  let example: Example;
  let browser: Browser;
  let visitor: Visitor;
  beforeAll(async () => {
    const org = await stack.newOrganization();
    shop = new Client(stack, await stack.newApp(org, 'shop', customerScopes));
    origin = `http://localhost:${await freePort()}`;
    const uris = { redirectUris: [`${origin}/`], postLogoutRedirectUris: [`${origin}/`] };
    const app = await stack.createApp({ org, name: 'page', kind: 'spa', scopes: [], ...uris });
    const given = [`--client-id=${app.clientId}`, `--organization=${org}`, `--origin=${origin}`];
    example = await Example.make('single-page-app', given);
    await example.start(/Open /);
    browser = await launch();
  });
  beforeEach(async () => void (visitor = await Visitor.open(browser)));
  afterAll(async () => {
    example?.stop();
    await browser?.close();
    closeConnections();
  });

  /** A customer of the shop: an app without a secret cannot make offers. */
  const becomeCustomer = async (): Promise<string> => {
    const { claimUrl, subject } = (await shop.offer<Offer>()).body;
    await visitor.page.goto(claimUrl);
    await visitor.press('Create my passkey');
    await visitor.heading('Your passkey is ready');
    return subject;
  };

  it('signs a customer in with tokens that it uses, and out at both', async () => {
    const subject = await becomeCustomer();
    await visitor.page.goto(origin);
    await visitor.heading('Welcome');
    await visitor.press('Sign in');
    await visitor.heading('Hello');
    expect([visitor.page.url(), await visitor.page.locator('#text').innerText()]).toEqual([
      `${origin}/`,
      `You are ${subject}.`,
    ]);
    await visitor.page.reload();
    await visitor.heading('Hello');

    const before = visitor.passkeyRequests.length;
    await visitor.press('Sign out');
    await visitor.heading('Welcome');
    await visitor.press('Sign in');
    await visitor.heading('Hello');
    expect(visitor.passkeyRequests.length).toBeGreaterThan(before);
    expect(visitor.errors).toEqual([]);
  });

  it('says what to do when a response does not belong to a sign-in, or comes a second time', async () => {
    await visitor.page.goto(`${origin}/?code=a&state=b&iss=${encodeURIComponent(example.settings.ISSUER!)}`);
    await visitor.heading('Please sign in again');
    expect(visitor.page.url()).toBe(`${origin}/`);

    const responses: string[] = [];
    visitor.page.on('request', (request) => void (request.url().includes('code=') && responses.push(request.url())));
    await becomeCustomer();
    await visitor.page.goto(origin);
    await visitor.press('Sign in');
    await visitor.heading('Hello');
    await visitor.page.goto(responses[0]!);
    await visitor.heading('Please sign in again');
    await visitor.press('Sign in');
    await visitor.heading('Hello');
  });

  it('serves its own files alone', async () => {
    const statuses = await Promise.all(
      ['/', '/settings.json', '/.env', '/package.json', '/../.env', '//'].map(async (path) => {
        const { status } = await fetch(origin + path);
        return [path, status];
      }),
    );
    expect(statuses).toEqual([
      ['/', 200],
      ['/settings.json', 200],
      ...['/.env', '/package.json', '/../.env', '//'].map((path) => [path, 404]),
    ]);
    expect(Object.keys(example.settings).sort()).toEqual(['CLIENT_ID', 'ISSUER', 'ORIGIN']);
  });
});

// The program of the command line, by its commands in docs/quickstarts.md, with the customer's browser.
import { afterAll, beforeAll, expect, it } from '@jest/globals';
import type { Browser } from 'playwright-core';
import type { Offer } from '@holdfast/contracts';
import { launch, Visitor } from '../browser/chromium.fixture.ts';
import { withBrowser } from '../browser/with-browser.fixture.ts';
import { Client } from '../clients/client.ts';
import { closeConnections } from '../clients/http.ts';
import { customerScopes, stack } from '../clients/under-test.ts';
import { Example } from './example.fixture.ts';

withBrowser('the example of the command line', () => {
  let shop: Client;
  let example: Example;
  let browser: Browser;
  let visitor: Visitor;
  beforeAll(async () => {
    const org = await stack.newOrganization();
    shop = new Client(stack, await stack.newApp(org, 'shop', customerScopes));
    example = await Example.make('native', [`--organization=${org}`]);
    browser = await launch();
    visitor = await Visitor.open(browser);
  });
  afterAll(async () => {
    example?.stop();
    await browser?.close();
    closeConnections();
  });

  it('signs a customer in once, after the printed command has created the app', async () => {
    await example.createPrintedApp();

    const { claimUrl, subject } = (await shop.offer<Offer>()).body;
    await visitor.page.goto(claimUrl);
    await visitor.press('Create my passkey');
    await visitor.heading('Your passkey is ready');

    await example.start(/Open \S+/, '--no-browser');
    const [, address = ''] = /Open (\S+)/.exec(example.output) ?? [];
    const redirectUri = new URL(address).searchParams.get('redirect_uri')!;
    expect(redirectUri).toMatch(/^http:\/\/127\.0\.0\.1:\d+\/callback$/);
    const answers = async (url: string) => {
      const response = await fetch(url);
      return [response.status, await response.text()];
    };
    // Every program of this machine can send such a request. The sign-in goes on.
    const foreign = await answers(`${redirectUri}?code=a&state=b&iss=${encodeURIComponent(example.settings.ISSUER!)}`);
    expect(foreign).toEqual([400, expect.stringContaining('Follow the link that the program shows')]);
    expect(await answers(redirectUri.replace('callback', '/'))).toEqual([404, expect.any(String)]);

    await visitor.page.goto(address);
    await visitor.page.getByText('go back to the program').waitFor();
    await example.prints(new RegExp(`You are ${subject}\\.`));
    expect(await answers(visitor.page.url())).toEqual([400, expect.stringContaining('finished already')]);

    const opened = example.output.length;
    example.enter('');
    const [, signOut = ''] = (await example.prints(/sign out\.\s+Open (\S+)/)).slice();
    expect(example.output.slice(opened)).not.toMatch(/token|eyJ/);
    await visitor.page.goto(signOut);
    await visitor.press('Sign out');
    await visitor.heading(/signed out/);
    expect(await example.end()).toBe(0);
  });
});

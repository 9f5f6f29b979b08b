// The example of a device, by its commands in docs/quickstarts.md, with the customer's browser.
import { afterAll, beforeAll, expect, it } from '@jest/globals';
import type { Browser } from 'playwright-core';
import type { Offer } from '@holdfast/contracts';
import { launch, Visitor } from '../browser/chromium.fixture.ts';
import { withBrowser } from '../browser/with-browser.fixture.ts';
import { Client } from '../clients/client.ts';
import { closeConnections } from '../clients/http.ts';
import { customerScopes, stack } from '../clients/under-test.ts';
import { Example } from './example.fixture.ts';

withBrowser('the example of a device', () => {
  let shop: Client;
  let example: Example;
  let browser: Browser;
  let visitor: Visitor;
  beforeAll(async () => {
    const org = await stack.newOrganization();
    shop = new Client(stack, await stack.newApp(org, 'shop', customerScopes));
    example = await Example.make('device', [`--organization=${org}`]);
    browser = await launch();
    visitor = await Visitor.open(browser);
  });
  afterAll(async () => {
    example?.stop();
    await browser?.close();
    closeConnections();
  });

  it('signs a customer in who enters the printed code, and out without a browser', async () => {
    await example.createPrintedApp();
    const { claimUrl, subject } = (await shop.offer<Offer>()).body;
    const { page } = visitor;
    await page.goto(claimUrl);
    await visitor.press('Create my passkey');
    await visitor.heading('Your passkey is ready');

    await example.start(/enter \S+/);
    const [, address = '', code = ''] = /Open (\S+) and enter (\S+)/.exec(example.output) ?? [];
    await page.goto(address);
    await page.getByLabel('Code').fill(code);
    await visitor.press('Continue');
    await visitor.press('This is my device');
    await visitor.heading(/^You are signed in to/);
    await example.prints(new RegExp(`You are ${subject}\\.`));
    await example.prints(/sign out\./);
    example.enter('');
    expect(await example.end()).toBe(0);
    expect(example.output).not.toMatch(/token|eyJ/);
  });
});

// The virtual authenticator of docs/customers.md, as it stands there, claims an offer.
import { runInThisContext } from 'node:vm';
import { afterAll, beforeAll, it } from '@jest/globals';
import type { Browser, Page } from 'playwright-core';
import { codeBlock, eventually } from '@holdfast/testing';
import { closeConnections } from '../clients/http.ts';
import { demoClient } from '../clients/under-test.ts';
import { launch } from './chromium.fixture.ts';
import { withBrowser } from './with-browser.fixture.ts';

withBrowser('the virtual authenticator of the documents', () => {
  let browser: Browser;
  beforeAll(async () => void (browser = await launch()));
  afterAll(async () => {
    await browser?.close();
    closeConnections();
  });

  it('claims an offer', async () => {
    const shop = demoClient('acme', 'shop');
    const { claimUrl, subject } = (await shop.offer()).body;
    const program = codeBlock('customers.md', 'typescript');
    const run = runInThisContext(`(async (page, claimUrl) => {${program}})`) as (
      page: Page,
      claimUrl: string,
    ) => Promise<void>;
    await run(await browser.newPage(), claimUrl);
    await eventually(async () => (await shop.get(subject)).body.credentials[0]?.status === 'issued');
  });
});

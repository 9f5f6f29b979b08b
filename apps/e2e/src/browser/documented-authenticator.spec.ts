// The virtual authenticator of docs/customers.md, as it stands there, claims an offer.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, it } from '@jest/globals';
import type { Browser, Page } from 'playwright-core';
import { eventually } from '@holdfast/testing';
import { closeConnections } from '../clients/http.ts';
import { demoClient } from '../clients/under-test.ts';
import { root } from '../stack/stack.ts';
import { launch } from './chromium.fixture.ts';
import { withBrowser } from './with-browser.fixture.ts';

const document = readFileSync(join(root, 'docs/customers.md'), 'utf8');
const program = /```typescript\n([\s\S]*?)```/.exec(document)![1]!;

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
    // eslint-disable-next-line @typescript-eslint/no-implied-eval -- It is the code of the document that runs.
    const run = new Function('page', 'claimUrl', `return (async () => {${program}})();`) as (
      page: Page,
      claimUrl: string,
    ) => Promise<void>;
    await run(await browser.newPage(), claimUrl);
    await eventually(async () => (await shop.get(subject)).body.credentials[0]?.status === 'issued');
  });
});

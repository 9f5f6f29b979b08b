// Claim and sign-in inside somebody else's page, in a real browser: nothing is shown, and no passkey is asked for.
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, expect, it } from '@jest/globals';
import type { Browser } from 'playwright-core';
import type { Offer } from '@holdfast/contracts';
import { eventually } from '../parallel.ts';
import { closeConnections } from '../http.ts';
import { RelyingParty } from '../sign-in/relying-party.fixture.ts';
import { demoClient, stack } from '../under-test.ts';
import { launch, Visitor } from './chromium.fixture.ts';
import { withBrowser } from './with-browser.fixture.ts';

withBrowser('a page that embeds ours', () => {
  let browser: Browser;
  let embedder: Server;
  let origin: string;
  beforeAll(async () => {
    browser = await launch();
    // Another port is another origin, though the same site: what SameSite does not keep away, the headers must.
    embedder = createServer(
      (_, response) =>
        void response.setHeader('content-type', 'text/html').end('<!doctype html><title>embedder</title>'),
    );
    await new Promise<void>((resolve) => void embedder.listen(0, 'localhost', resolve));
    origin = `http://localhost:${(embedder.address() as AddressInfo).port}`;
  });
  afterAll(async () => {
    await browser?.close();
    embedder?.closeAllConnections();
    embedder?.close();
    closeConnections();
  });

  it.each([
    ['a claim link', async () => (await demoClient('acme', 'shop').offer<Offer>()).body.claimUrl],
    ['a sign-in', async () => (await (await RelyingParty.of(stack.app('acme', 'shop'))).begin()).url],
    ['a sign-out', async () => `${stack.baseUrl}/o/acme/session/end`],
  ])('gets nothing of %s, whatever it allows its frame', async (_, address) => {
    const visitor = await Visitor.enter(browser);
    await visitor.page.goto(origin);
    await visitor.page.evaluate(`{
      const frame = document.createElement('iframe');
      frame.allow = 'publickey-credentials-get *; publickey-credentials-create *';
      frame.src = ${JSON.stringify(await address())};
      document.body.append(frame);
    }`);
    const framed = () => visitor.page.frames().find((frame) => frame.parentFrame() !== null);
    await eventually(
      async () => framed()?.url().startsWith('chrome-error:') === true,
      15_000,
      'the refusal of the frame',
    );
    expect(visitor.passkeyRequests).toEqual([]);
    expect(visitor.errors.join('\n')).toMatch(/frame-ancestors|X-Frame-Options/);
    await visitor.leave();
  });
});

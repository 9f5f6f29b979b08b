// Claim and sign-in inside a frame of another site: the browser shows nothing, and no passkey is requested.
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, expect, it } from '@jest/globals';
import type { Browser } from 'playwright-core';
import type { Offer } from '@holdfast/contracts';
import { eventually } from '@holdfast/testing';
import { closeConnections } from '../clients/http.ts';
import { demoClient, stack } from '../clients/under-test.ts';
import { RelyingParty } from '../sign-in/relying-party.fixture.ts';
import { launch, Visitor } from './chromium.fixture.ts';
import { withBrowser } from './with-browser.fixture.ts';

withBrowser('a page that embeds one of Holdfast', () => {
  let browser: Browser;
  let embedder: Server;
  let origin: string;
  beforeAll(async () => {
    browser = await launch();
    // Another port is another origin of the same site, so that SameSite cookies are sent and only the headers protect.
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
  ])('cannot show %s, whatever it allows its frame', async (_, address) => {
    const visitor = await Visitor.open(browser);
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
      'the browser to block the frame',
    );
    expect(visitor.passkeyRequests).toEqual([]);
    expect(visitor.errors.join('\n')).toMatch(/frame-ancestors|X-Frame-Options/);
    await visitor.close();
  });
});

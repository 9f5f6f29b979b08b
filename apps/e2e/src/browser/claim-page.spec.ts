// The claim page in a browser: opening it changes nothing, it survives a reload, it removes the token from the address
// bar, and it explains why a link cannot be used.
import { afterAll, afterEach, beforeAll, beforeEach, expect, it } from '@jest/globals';
import type { Browser } from 'playwright-core';
import type { Offer } from '@holdfast/contracts';
import { SoftwareAuthenticator } from '@holdfast/testing';
import type { Client } from '../clients/client.ts';
import { closeConnections } from '../clients/http.ts';
import { demoClient, stack } from '../clients/under-test.ts';
import { claim, tokenOf } from '../sign-in/customer.fixture.ts';
import { untilPast } from '../stack/until-past.ts';
import { launch, Visitor } from './chromium.fixture.ts';
import { withBrowser } from './with-browser.fixture.ts';

withBrowser('the claim page in a browser', () => {
  let browser: Browser;
  let visitor: Visitor;
  let shop: Client;
  beforeAll(async () => {
    browser = await launch();
    shop = demoClient('acme', 'shop');
  });
  afterAll(async () => {
    await browser?.close();
    closeConnections();
  });
  beforeEach(async () => void (visitor = await Visitor.open(browser)));
  afterEach(async () => {
    const { errors } = visitor;
    await visitor.close();
    expect(errors).toEqual([]);
  });

  const offer = async (json: object = {}): Promise<Offer> => (await shop.offer<Offer>(json)).body;
  const address = `${stack.baseUrl}/o/acme/claim`;

  it('changes nothing when it is opened, and continues after a reload', async () => {
    const { claimUrl, subject } = await offer();
    const { page } = visitor;
    const requests: string[] = [];
    page.on('request', (request) =>
      requests.push(`${request.method()} ${request.url()} ${request.headers().referer ?? ''}`),
    );
    await page.goto(claimUrl);
    await visitor.heading('Create your passkey');
    expect(page.url()).toBe(address);
    expect(await page.title()).not.toContain(tokenOf(claimUrl));
    await page.reload();
    await visitor.heading('Create your passkey');
    expect(page.url()).toBe(address);
    expect(requests.join('\n')).not.toContain(tokenOf(claimUrl));
    // It requests options for the click, and uses the link with none of these.
    const posted = requests
      .filter((line) => line.startsWith('POST'))
      .map((line) => new URL(line.split(' ')[1]!).pathname);
    expect(new Set(posted)).toEqual(new Set([`/o/${shop.app.org}/api/claim`, `/o/${shop.app.org}/api/claim/options`]));
    expect((await shop.get(subject)).body).toMatchObject({ claimed: false, credentials: [{ status: 'offered' }] });
    expect(await visitor.passkeys()).toEqual([]);

    await visitor.press('Create my passkey');
    await visitor.heading('Your passkey is ready');
    expect((await shop.get(subject)).body.claimed).toBe(true);
    // This tab has used the link, so a reload alarms nobody.
    await page.reload();
    await visitor.heading('Your passkey is ready');
    const other = await page.context().newPage();
    await other.goto(claimUrl);
    await other.getByRole('heading', { level: 1, name: 'This link has been used' }).waitFor();
  });

  it.each<[string, string, (offered: Offer) => Promise<unknown>, object]>([
    [
      'spent',
      'This link has been used',
      ({ claimUrl }) => claim('acme', tokenOf(claimUrl), new SoftwareAuthenticator()),
      {},
    ],
    ['expired', 'This link has expired', ({ expiresAt }) => untilPast(expiresAt), { offerExpiresIn: 2 }],
    ['withdrawn', 'This link is no longer valid', ({ offerId }) => shop.withdraw(offerId), {}],
    ['erased', 'This link is not valid', ({ subject }) => shop.erase(subject), {}],
  ])('explains that a link is %s when it is opened', async (_, heading, end, options) => {
    const offered = await offer(options);
    await end(offered);
    await visitor.page.goto(offered.claimUrl);
    await visitor.heading(heading);
    expect(visitor.page.url()).toBe(address);
    expect(await visitor.page.getByRole('button').count()).toBe(0);
  });

  it.each<[string, string, (offered: Offer) => Promise<unknown>, object]>([
    [
      'spent',
      'This link has been used',
      ({ claimUrl }) => claim('acme', tokenOf(claimUrl), new SoftwareAuthenticator()),
      {},
    ],
    ['expired', 'This link has expired', ({ expiresAt }) => untilPast(expiresAt), { offerExpiresIn: 12 }],
    ['withdrawn', 'This link is no longer valid', ({ offerId }) => shop.withdraw(offerId), {}],
  ])('explains that a link is %s while the page is open', async (_, heading, end, options) => {
    const offered = await offer(options);
    await visitor.page.goto(offered.claimUrl);
    await visitor.heading('Create your passkey');
    await end(offered);
    await visitor.press('Create my passkey');
    await visitor.heading(heading);
  });

  it('explains that a link is unknown, truncated or missing', async () => {
    const { page } = visitor;
    for (const token of ['A'.repeat(43), 'cut-off']) {
      await page.goto(`${address}#${token}`);
      await visitor.heading('This link is not valid');
    }
    const fresh = await Visitor.open(browser);
    await fresh.page.goto(address);
    await fresh.heading('Open the link from your message');
    expect(fresh.errors).toEqual([]);
    await fresh.close();
  });
});

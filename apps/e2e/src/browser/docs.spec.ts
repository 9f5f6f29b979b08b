// The pages of the API reference: Swagger UI requests a token in a browser and uses it, and shows the samples.
import { afterAll, beforeAll, expect, it } from '@jest/globals';
import type { Browser, Locator, Page } from 'playwright-core';
import type { Client } from '../clients/client.ts';
import { closeConnections } from '../clients/http.ts';
import { newClients, stack } from '../clients/under-test.ts';
import { desktop, launch, phone } from './chromium.fixture.ts';
import { violationsOf } from './hub.fixture.ts';
import { withBrowser } from './with-browser.fixture.ts';

/** Swagger UI needs half a minute for an operation on a machine that is busy with other tests. */
const timeoutMs = 120_000;

withBrowser('the API reference', () => {
  let browser: Browser;
  let shop: Client;
  beforeAll(async () => {
    [browser, { shop }] = await Promise.all([launch(), newClients({ shop: {} })]);
  });
  afterAll(async () => {
    await browser?.close();
    closeConnections();
  });

  it('requests a token by "Authorize" with client id and secret, and calls an endpoint with it', async () => {
    const { body: offer } = await shop.offer();
    const page = await browser.newPage();
    const errors: string[] = [];
    page.on('pageerror', (error) => errors.push(error.message));
    page.on('console', (message) => void (message.type() === 'error' && errors.push(message.text())));
    await page.goto(`${stack.baseUrl}/docs`);
    await page.locator('.auth-wrapper .btn.authorize').first().click();
    const form = page.locator('.auth-container', { has: page.locator('[id^="client_id"]') });
    await form.locator('[id^="client_id"]').fill(shop.app.clientId);
    await form.locator('[id^="client_secret"]').fill(shop.app.clientSecret);
    await form.locator('label[for^="issued:read-"]').first().click();
    const [token] = await Promise.all([
      page.waitForResponse((response) => response.url() === `${stack.baseUrl}/oauth2/token`),
      form.locator('.auth-btn-wrapper button.authorize').click(),
    ]);
    expect(token.status()).toBe(200);
    // The dialog shows the granted authorization instead of the fields.
    await page.locator('.auth-btn-wrapper').getByText('Logout').waitFor();
    await page.locator('.auth-btn-wrapper .btn-done').first().click();

    const operation = page.locator('.opblock[id$="-listSubjects"]');
    await scrollTo(page, operation);
    await operation.locator('.opblock-summary-control').click();
    await operation.locator('.try-out__btn').click();
    await operation.locator('tr[data-param-name="shortId"] input').fill(shop.app.org);
    const [list] = await Promise.all([
      page.waitForResponse((response) => response.url().startsWith(`${stack.baseUrl}${shop.api}/credentials/subjects`)),
      operation.locator('.execute').click(),
    ]);
    expect([
      list.status(),
      ((await list.json()) as { items: { subject: string }[] }).items.map(({ subject }) => subject),
    ]).toEqual([200, [offer.subject]]);
    expect(errors).toEqual([]);
  });

  it.each(['light', 'dark'] as const)(
    'shows the samples of an operation and violates no rule of axe, in %s colours, wide and narrow',
    async (colorScheme) => {
      const context = await browser.newContext({ colorScheme, viewport: desktop });
      const page = await context.newPage();
      await page.goto(`${stack.baseUrl}/docs#/Customer%20credentials/createOffer`);
      const samples = page.locator('.opblock[id$="-createOffer"] .samples');
      await samples.waitFor({ timeout: timeoutMs });
      expect(await samples.locator('figcaption').allTextContents()).toEqual(['curl', '@holdfast/sdk']);
      expect(await samples.locator('pre').allTextContents()).toEqual([
        expect.stringContaining(`curl -X POST '${stack.baseUrl}/o/acme/api/credentials/offers'`),
        'const result = await holdfast.createOffer({ body: {} });',
      ]);
      expect(await violationsOf(page)).toEqual([]);
      await page.setViewportSize(phone);
      expect(await violationsOf(page)).toEqual([]);
      await page.goto(`${stack.baseUrl}/docs/errors`);
      expect(await violationsOf(page)).toEqual([]);
      await context.close();
    },
    2 * timeoutMs,
  );
});

/** Swagger UI renders only the operations that are near the visible part of the page. */
async function scrollTo(page: Page, operation: Locator): Promise<void> {
  const isRendered = () =>
    operation.waitFor({ timeout: 1000 }).then(
      () => true,
      () => false,
    );
  for (let step = 0; step < 20 && !(await isRendered()); step++) await page.mouse.wheel(0, 400);
}

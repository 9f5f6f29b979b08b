// The shop's forms with the presence widget, and the page of its staff for credentials.
import { afterAll, afterEach, beforeAll, expect, it } from '@jest/globals';
import type { Browser } from 'playwright-core';
import { eventually } from '@holdfast/testing';
import { demoClient } from '../clients/under-test.ts';
import { launch, Visitor } from './chromium.fixture.ts';
import { claimByMessage, shopOf, shownClaim, signUp } from './shop.fixture.ts';
import { openStaffArea } from './staff.fixture.ts';
import { withBrowser } from './with-browser.fixture.ts';

withBrowser('the example shop with presence proofs', () => {
  let browser: Browser;
  let visitor: Visitor;
  beforeAll(async () => void (browser = await launch()));
  afterAll(() => browser?.close());
  afterEach(async () => {
    const { errors } = visitor;
    await visitor.close();
    expect(errors).toEqual([]);
  });

  it('sends a proof when it is required, and explains that JavaScript is needed for it', async () => {
    visitor = await Visitor.open(browser);
    const requests: string[] = [];
    visitor.page.on('request', (request) => void requests.push(new URL(request.url()).pathname));
    await visitor.page.goto(`${shopOf('globex')}/sign-up`);
    await visitor.page.getByLabel('Your name').fill('Joan');
    // The widget solves a challenge only when the form is sent.
    expect(requests).not.toContain('/o/globex/api/presence/challenge');
    await signUp(visitor, 'globex', 'Joan');
    expect(requests).toContain('/o/globex/api/presence/challenge');

    const without = await browser.newContext({ javaScriptEnabled: false });
    const page = await without.newPage();
    await page.goto(`${shopOf('globex')}/sign-up`);
    // Even with JavaScript disabled Chromium parses <noscript> as if it were enabled, so its content is not visible.
    expect(await page.content()).toContain('Without JavaScript we cannot check');
    await page.getByLabel('Your name').fill('Ken');
    await page.getByLabel('Your e-mail').fill('ken@example.com');
    await page.getByRole('button', { name: 'Sign up' }).click();
    await page.getByRole('alert').getByText('Please switch JavaScript on').waitFor();
    // The form still has the input.
    expect(await page.getByLabel('Your e-mail').inputValue()).toBe('ken@example.com');
    // acme does not require a proof.
    await page.goto(`${shopOf('acme')}/sign-up`);
    await page.getByLabel('Your name').fill('Ken');
    await page.getByLabel('Your e-mail').fill('ken@example.com');
    await page.getByRole('button', { name: 'Sign up' }).click();
    await page.getByRole('heading', { level: 1, name: 'Almost done, Ken' }).waitFor();
    await without.close();
  });

  it('lets staff recover, suspend, resume and revoke a credential', async () => {
    visitor = await Visitor.open(browser);
    await signUp(visitor, 'globex', 'Lea');
    await claimByMessage(visitor);
    await visitor.page.getByRole('link', { name: 'Sign in now' }).click();
    await visitor.heading('Hello, Lea');
    const subject = await shownClaim(visitor, 'sub');
    expect(visitor.errors).toEqual([]);
    await visitor.close();
    visitor = await openStaffArea(browser, 'globex', 'Lou Staff');
    const { page } = visitor;
    const client = demoClient('globex', 'shop');
    const status = async () => (await client.get(subject)).body.credentials[0]!.status;
    const staffPage = `${shopOf('globex')}/staff/customers/${subject}`;

    await page.goto(staffPage);
    await visitor.press('Send a new link');
    await page.getByRole('link', { name: 'Create my passkey' }).waitFor();
    await page.getByText('Suspend …').click();
    await visitor.press('Suspend');
    await page.locator('.badge', { hasText: 'Suspended' }).waitFor();
    await eventually(async () => (await status()) === 'suspended', 'suspended');
    await visitor.press('Let it work again');
    await page.locator('.badge', { hasText: 'Works' }).waitFor();
    await page.getByText('Revoke for ever …').click();
    await visitor.press('Revoke for ever');
    await page.locator('.badge', { hasText: 'Revoked' }).waitFor();
    expect(await status()).toBe('revoked');
    expect(await page.getByText('Suspend …').count()).toBe(0);
  });
});

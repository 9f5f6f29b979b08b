// The shop's forms with the widget of the proof of presence, and what staff may do with a credential.
import { afterAll, afterEach, beforeAll, expect, it } from '@jest/globals';
import type { Browser } from 'playwright-core';
import { eventually } from '../parallel.ts';
import { demoClient } from '../under-test.ts';
import { desk, launch, Visitor } from './chromium.fixture.ts';
import { withBrowser } from './with-browser.fixture.ts';
import { claimByLetter, shopOf, shownClaim, signUp } from './shop.fixture.ts';

withBrowser('proof of presence in a browser', () => {
  let browser: Browser;
  let visitor: Visitor;
  beforeAll(async () => void (browser = await launch()));
  afterAll(() => browser?.close());
  afterEach(async () => {
    const { errors } = visitor;
    await visitor.leave();
    expect(errors).toEqual([]);
  });

  it('globex demands one: the widget gives it when the form is sent, and without JavaScript the form says why not', async () => {
    visitor = await Visitor.enter(browser);
    const requests: string[] = [];
    visitor.page.on('request', (request) => void requests.push(new URL(request.url()).pathname));
    await visitor.page.goto(`${shopOf('globex')}/sign-up`);
    await visitor.page.getByLabel('Your name').fill('Joan');
    // Whoever only looks is not made to work.
    expect(requests).not.toContain('/o/globex/api/presence/challenge');
    await signUp(visitor, 'globex', 'Joan');
    expect(requests).toContain('/o/globex/api/presence/challenge');

    const without = await browser.newContext({ javaScriptEnabled: false });
    const page = await without.newPage();
    await page.goto(`${shopOf('globex')}/sign-up`);
    // Chromium reads a page as if it had scripts even while it runs none, so what it would show instead is not laid
    // out.
    expect(await page.content()).toContain('Without JavaScript we cannot check');
    await page.getByLabel('Your name').fill('Ken');
    await page.getByLabel('Your e-mail').fill('ken@example.com');
    await page.getByRole('button', { name: 'Sign up' }).click();
    await page.getByRole('alert').getByText('Please switch JavaScript on').waitFor();
    // What was typed is still there.
    expect(await page.getByLabel('Your e-mail').inputValue()).toBe('ken@example.com');
    // acme takes an offer without.
    await page.goto(`${shopOf('acme')}/sign-up`);
    await page.getByLabel('Your name').fill('Ken');
    await page.getByLabel('Your e-mail').fill('ken@example.com');
    await page.getByRole('button', { name: 'Sign up' }).click();
    await page.getByRole('heading', { level: 1, name: 'Almost done, Ken' }).waitFor();
    await without.close();
  });

  it('staff recover a lost phone, suspend, resume and revoke', async () => {
    visitor = await Visitor.enter(browser);
    await signUp(visitor, 'globex', 'Lea');
    await claimByLetter(visitor);
    await visitor.page.getByRole('link', { name: 'Sign in now' }).click();
    await visitor.heading('Hello, Lea');
    const subject = await shownClaim(visitor, 'sub');
    expect(visitor.errors).toEqual([]);
    await visitor.leave();
    // In a browser of their own: with the suspension the customer's session at the shop ends, and its forms with it.
    visitor = await Visitor.enter(browser, { viewport: desk });
    const { page } = visitor;
    const client = demoClient('globex', 'shop');
    const status = async () => (await client.get(subject)).body.credentials[0]!.status;
    const staffPage = `${shopOf('globex')}/staff/${subject}`;

    await page.goto(staffPage);
    await visitor.press('Send a new link');
    await page.getByRole('link', { name: 'Create my passkey' }).waitFor();
    await page.getByText('Suspend …').click();
    await visitor.press('Suspend');
    await page.locator('.badge', { hasText: 'Suspended' }).waitFor();
    await eventually(async () => (await status()) === 'suspended', 3000, 'suspended');
    await visitor.press('Let it work again');
    await page.locator('.badge', { hasText: 'Works' }).waitFor();
    await page.getByText('Revoke for ever …').click();
    await visitor.press('Revoke for ever');
    await page.locator('.badge', { hasText: 'Revoked' }).waitFor();
    expect(await status()).toBe('revoked');
    expect(await page.getByText('Suspend …').count()).toBe(0);
  });
});

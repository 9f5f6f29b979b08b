// The example shop in a browser: sign up, claim, sign in, sign out, and sign in again by conditional UI.
import { afterAll, afterEach, beforeAll, expect, it } from '@jest/globals';
import type { Browser } from 'playwright-core';
import { eventually } from '@holdfast/testing';
import { demoClient, stack } from '../clients/under-test.ts';
import { desktop, launch, phone, Visitor } from './chromium.fixture.ts';
import { claimByMessage, shopOf, shownClaim, signUp } from './shop.fixture.ts';
import { openStaffArea } from './staff.fixture.ts';
import { withBrowser } from './with-browser.fixture.ts';

withBrowser('the example shop in a browser', () => {
  let browser: Browser;
  let visitor: Visitor;
  beforeAll(async () => void (browser = await launch()));
  afterAll(() => browser?.close());
  afterEach(async () => {
    const { errors } = visitor;
    await visitor.close();
    expect(errors).toEqual([]);
  });

  /** Whether the page needs no horizontal scrolling. */
  const fits = ({ page } = visitor) => page.evaluate<boolean>('document.documentElement.scrollWidth <= innerWidth');

  it.each([
    ['a phone', phone],
    ['a wide window', desktop],
  ])('signs a new customer in, out, and in again by conditional UI on %s', async (what, viewport) => {
    visitor = await Visitor.open(browser, { viewport });
    const { page } = visitor;
    const name = `Ada on ${what}`;
    await signUp(visitor, 'acme', name);
    expect(await fits()).toBe(true);
    await page.getByRole('link', { name: 'Create my passkey' }).click();
    await visitor.heading('Create your passkey');
    expect([page.url(), await fits()]).toEqual([`${stack.baseUrl}/o/acme/claim`, true]);
    await visitor.press('Create my passkey');
    await visitor.heading('Your passkey is ready');
    const [passkey, ...others] = await visitor.passkeys();
    expect([passkey!.isResidentCredential, others]).toEqual([true, []]);
    await visitor.followLink('Continue');

    // By the button: the browser suggests the passkey, but the customer does not confirm the suggestion.
    await visitor.setAutomaticConfirmation(false);
    await page.getByRole('link', { name: 'Sign in now' }).click();
    await visitor.heading('Sign in to Shop');
    expect(await page.locator('input.suggestions').getAttribute('autocomplete')).toBe('username webauthn');
    expect(await fits()).toBe(true);
    // Once the conditional request is pending, the confirmation applies to the next one, which is the button's.
    await eventually(() => visitor.passkeyRequests.includes('conditional'), 'the conditional request');
    await visitor.setAutomaticConfirmation(true);
    await visitor.press('Sign in with a passkey');
    await visitor.heading(`Hello, ${name}`);
    expect(page.url()).toBe(`${shopOf('acme')}/account`);
    const subject = await shownClaim(visitor, 'sub');
    expect([await shownClaim(visitor, 'iss'), subject, await fits()]).toEqual([
      `${stack.baseUrl}/o/acme`,
      expect.stringMatching(/^[0-9a-f-]{36}$/),
      true,
    ]);

    await visitor.press('Sign out');
    await page.getByText('You are signed out').waitFor();
    // The session at the issuer has ended as well, so that it requests the passkey again. Now nothing is pressed: the
    // browser suggests the passkey.
    const before = visitor.passkeyRequests.length;
    expect(visitor.passkeyRequests).toEqual(['conditional', 'modal']);
    await page.getByRole('link', { name: 'Sign in' }).first().click();
    await visitor.heading(`Hello, ${name}`);
    expect(await shownClaim(visitor, 'sub')).toBe(subject);
    expect(visitor.passkeyRequests.slice(before)).toEqual(['conditional']);
    expect((await visitor.passkeys())[0]!.signCount).toBeGreaterThan(passkey!.signCount);
  });

  it('keeps the sessions of two organizations apart in one browser with one authenticator', async () => {
    visitor = await Visitor.open(browser);
    const { page } = visitor;
    const subjects: string[] = [];
    for (const org of ['acme', 'globex']) {
      await signUp(visitor, org, `Bob of ${org}`);
      await claimByMessage(visitor);
      const passkeys = await visitor.passkeys();
      // A person would choose one of the two passkeys that the device offers; the authenticator takes the only one.
      await visitor.setPasskeys(passkeys.filter(({ credentialId }) => !kept.has(credentialId)));
      await page.getByRole('link', { name: 'Sign in now' }).click();
      await visitor.heading(`Hello, Bob of ${org}`);
      subjects.push(await shownClaim(visitor, 'sub'));
      for (const one of await visitor.passkeys()) kept.set(one.credentialId, one);
      await visitor.setPasskeys([...kept.values()]);
    }
    expect(await visitor.passkeys()).toHaveLength(2);
    const [one, other] = await visitor.passkeys();
    expect(one!.userHandle).not.toBe(other!.userHandle);
    expect(new Set(subjects).size).toBe(2);
    // Both sessions are still there.
    for (const [i, org] of ['acme', 'globex'].entries()) {
      await page.goto(`${shopOf(org)}/account`);
      await visitor.heading(`Hello, Bob of ${org}`);
      expect(await shownClaim(visitor, 'sub')).toBe(subjects[i]);
      await page.goto(`${shopOf(org)}/sign-in`);
      await visitor.heading(`Hello, Bob of ${org}`);
    }
    // Signing out of one does not end the other.
    await page.goto(`${shopOf('acme')}/account`);
    await visitor.press('Sign out');
    await page.getByText('You are signed out').waitFor();
    await page.goto(`${shopOf('globex')}/sign-in`);
    await visitor.heading('Hello, Bob of globex');
  });
  const kept = new Map<string, Awaited<ReturnType<Visitor['passkeys']>>[number]>();

  it('explains that a passkey belongs to another organization, and accepts the right one afterwards', async () => {
    visitor = await Visitor.open(browser);
    const { page } = visitor;
    await signUp(visitor, 'acme', 'Eve');
    await claimByMessage(visitor);
    const ofAcme = await visitor.passkeys();
    await signUp(visitor, 'globex', 'Eve');
    await claimByMessage(visitor);
    const ofGlobex = (await visitor.passkeys()).filter(({ credentialId }) => credentialId !== ofAcme[0]!.credentialId);
    expect(ofGlobex).toHaveLength(1);

    await visitor.setPasskeys(ofAcme);
    await page.getByRole('link', { name: 'Sign in now' }).click();
    await visitor.heading('This passkey belongs to somewhere else');
    await page.getByText('Choose the one that you made for Globex').waitFor();
    await visitor.press('Choose another passkey');
    await visitor.heading('This passkey belongs to somewhere else');
    await visitor.setPasskeys(ofGlobex);
    await visitor.press('Choose another passkey');
    await visitor.heading('Hello, Eve');
    expect(page.url()).toBe(`${shopOf('globex')}/account`);

    // The passkey still signs in at its own organization.
    await visitor.setPasskeys(ofAcme);
    await page.goto(`${shopOf('acme')}/sign-in`);
    await visitor.heading('Hello, Eve');

    // Revoked by the backend, not in this browser: the shop ends its session after Holdfast's logout token.
    const shop = demoClient('acme', 'shop');
    const { body } = await shop.get(await shownClaim(visitor, 'sub'));
    await visitor.setAutomaticConfirmation(false);
    expect((await shop.manage('revoke', body.credentials[0]!.id)).status).toBe(200);
    const account = `${shopOf('acme')}/account`;
    await eventually(
      async () => (await page.goto(account)) !== null && page.url() !== account,
      'the end of the session at the shop',
    );
    await visitor.heading('Sign in to Shop');
  });

  it('shows that the customer is not signed in when the sign-in is cancelled', async () => {
    visitor = await Visitor.open(browser, { present: false });
    await visitor.page.goto(`${shopOf('acme')}/sign-in`);
    await visitor.heading('Sign in to Shop');
    await visitor.press('Back to Shop');
    await visitor.heading('You are not signed in');
  });

  it('shows staff each security event as it arrives, as long as they are signed in', async () => {
    visitor = await Visitor.open(browser, { viewport: phone });
    const staff = await openStaffArea(browser, 'acme', 'Stella Staff');
    await staff.followLink('Events');
    await staff.page.getByText('Waiting for events.').waitFor();
    await signUp(visitor, 'acme', 'Heidi');
    await claimByMessage(visitor);
    await visitor.page.getByRole('link', { name: 'Sign in now' }).click();
    await visitor.heading('Hello, Heidi');
    const subject = await shownClaim(visitor, 'sub');
    const rows = staff.page.locator('#events tr', { hasText: 'Heidi' });
    await rows.filter({ hasText: 'Credential was claimed' }).waitFor();

    const shop = demoClient('acme', 'shop');
    const { body } = await shop.get(subject);
    expect((await shop.manage('revoke', body.credentials[0]!.id)).status).toBe(200);
    await rows.filter({ hasText: 'All sessions have ended' }).waitFor();
    expect(await rows.locator('summary').allTextContents()).toEqual([
      'Has no valid credential any more',
      'All sessions have ended',
      'Credential was revoked',
      'Credential was claimed',
    ]);
    await rows.first().locator('summary').click();
    expect(JSON.parse((await rows.first().locator('pre').textContent())!)).toMatchObject({
      iss: `${stack.baseUrl}/o/acme`,
      sub_id: { sub: subject },
    });
    for (const viewport of [phone, desktop]) {
      await staff.page.setViewportSize(viewport);
      expect(await fits(staff)).toBe(true);
    }
    await rows.first().getByRole('link', { name: 'Heidi' }).click();
    await staff.heading('Heidi');
    await staff.press('Sign out');
    await staff.page.getByText('You are signed out').waitFor();
    await staff.page.goto(`${shopOf('acme')}/staff/events/stream`);
    expect(staff.page.url()).toBe(`${shopOf('acme')}/staff`);
    expect(staff.errors).toEqual([]);
    await staff.close();
  });

  it('lets staff erase a customer, whose passkey is unknown afterwards', async () => {
    visitor = await Visitor.open(browser, { viewport: desktop });
    const { page } = visitor;
    await signUp(visitor, 'acme', 'Grace');
    await claimByMessage(visitor);
    await page.getByRole('link', { name: 'Sign in now' }).click();
    await visitor.heading('Hello, Grace');
    const subject = await shownClaim(visitor, 'sub');
    const staff = await openStaffArea(browser, 'acme', 'Sam Shop');
    await staff.page.goto(`${shopOf('acme')}/staff/customers/${subject}`);
    await staff.page.getByText('Erase this customer').click();
    await staff.press('Erase for ever');
    await staff.page.getByText('The customer is erased').waitFor();
    expect(staff.errors).toEqual([]);
    await staff.close();
    await page.goto(`${shopOf('acme')}/sign-in`);
    await visitor.heading('This passkey is not known here');
  });
});

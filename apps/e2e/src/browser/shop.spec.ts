// A newcomer in a browser, from the example shop: sign up, claim, sign in, sign out, and in again by what the browser
// suggests.
import { afterAll, afterEach, beforeAll, expect, it } from '@jest/globals';
import type { Browser } from 'playwright-core';
import { eventually } from '../parallel.ts';
import { demoClient, stack } from '../under-test.ts';
import { desk, launch, phone, Visitor } from './chromium.fixture.ts';
import { withBrowser } from './with-browser.fixture.ts';
import { claimByLetter, shopOf, shownClaim, signUp } from './shop.fixture.ts';

withBrowser('the example shop in a browser', () => {
  let browser: Browser;
  let visitor: Visitor;
  beforeAll(async () => void (browser = await launch()));
  afterAll(() => browser?.close());
  afterEach(async () => {
    const { errors } = visitor;
    await visitor.leave();
    expect(errors).toEqual([]);
  });

  /** Nothing to scroll sideways for. */
  const fits = () => visitor.page.evaluate<boolean>('document.documentElement.scrollWidth <= innerWidth');

  it.each([
    ['a phone', phone],
    ['a wide window', desk],
  ])('on %s: to a signed-in customer, out, and in again by conditional UI', async (what, viewport) => {
    visitor = await Visitor.enter(browser, { viewport });
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
    await visitor.follow('Continue');

    // By the button: the browser suggests, and the customer, who has not confirmed, prefers to press.
    await visitor.confirms(false);
    await page.getByRole('link', { name: 'Sign in now' }).click();
    await visitor.heading('Sign in to Shop');
    expect(await page.locator('input.suggestions').getAttribute('autocomplete')).toBe('username webauthn');
    expect(await fits()).toBe(true);
    // Once the suggestion waits, the device's consent goes to what is asked next: the button.
    await eventually(() => Promise.resolve(visitor.passkeyRequests.includes('conditional')), 10_000, 'the suggestion');
    await visitor.confirms(true);
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
    // Really out, at the issuer too: it asks for the passkey again. Nobody presses anything now: the browser suggests
    // it.
    const before = visitor.passkeyRequests.length;
    expect(visitor.passkeyRequests).toEqual(['conditional', 'modal']);
    await page.getByRole('link', { name: 'Sign in' }).first().click();
    await visitor.heading(`Hello, ${name}`);
    expect(await shownClaim(visitor, 'sub')).toBe(subject);
    expect(visitor.passkeyRequests.slice(before)).toEqual(['conditional']);
    expect((await visitor.passkeys())[0]!.signCount).toBeGreaterThan(passkey!.signCount);
  });

  it('two organizations in one browser, on one authenticator that holds both', async () => {
    visitor = await Visitor.enter(browser);
    const { page } = visitor;
    const subjects: string[] = [];
    for (const org of ['acme', 'globex']) {
      await signUp(visitor, org, `Bob of ${org}`);
      await claimByLetter(visitor);
      const held = await visitor.passkeys();
      // Whichever a person would pick: the device offers the passkeys of both.
      await visitor.hold(held.filter(({ credentialId }) => !kept.has(credentialId)));
      await page.getByRole('link', { name: 'Sign in now' }).click();
      await visitor.heading(`Hello, Bob of ${org}`);
      subjects.push(await shownClaim(visitor, 'sub'));
      for (const one of await visitor.passkeys()) kept.set(one.credentialId, one);
      await visitor.hold([...kept.values()]);
    }
    expect(await visitor.passkeys()).toHaveLength(2);
    const [one, other] = await visitor.passkeys();
    expect(one!.userHandle).not.toBe(other!.userHandle);
    expect(new Set(subjects).size).toBe(2);
    // Still signed in to both, each by its own session.
    for (const [i, org] of ['acme', 'globex'].entries()) {
      await page.goto(`${shopOf(org)}/account`);
      await visitor.heading(`Hello, Bob of ${org}`);
      expect(await shownClaim(visitor, 'sub')).toBe(subjects[i]);
      await page.goto(`${shopOf(org)}/sign-in`);
      await visitor.heading(`Hello, Bob of ${org}`);
    }
    // Out of one is not out of the other.
    await page.goto(`${shopOf('acme')}/account`);
    await visitor.press('Sign out');
    await page.getByText('You are signed out').waitFor();
    await page.goto(`${shopOf('globex')}/sign-in`);
    await visitor.heading('Hello, Bob of globex');
  });
  const kept = new Map<string, Awaited<ReturnType<Visitor['passkeys']>>[number]>();

  it('the passkey of acme at globex: the page says so, stays usable, and leads back', async () => {
    visitor = await Visitor.enter(browser);
    const { page } = visitor;
    await signUp(visitor, 'acme', 'Eve');
    await claimByLetter(visitor);
    const ofAcme = await visitor.passkeys();
    await signUp(visitor, 'globex', 'Eve');
    await claimByLetter(visitor);
    const ofGlobex = (await visitor.passkeys()).filter(({ credentialId }) => credentialId !== ofAcme[0]!.credentialId);
    expect(ofGlobex).toHaveLength(1);

    await visitor.hold(ofAcme);
    await page.getByRole('link', { name: 'Sign in now' }).click();
    await visitor.heading('This passkey belongs to somewhere else');
    await page.getByText('Choose the one that you made for Globex').waitFor();
    await visitor.press('Choose another passkey');
    await visitor.heading('This passkey belongs to somewhere else');
    await visitor.hold(ofGlobex);
    await visitor.press('Choose another passkey');
    await visitor.heading('Hello, Eve');
    expect(page.url()).toBe(`${shopOf('globex')}/account`);

    // And at home it works as ever.
    await visitor.hold(ofAcme);
    await page.goto(`${shopOf('acme')}/sign-in`);
    await visitor.heading('Hello, Eve');

    // Revoked by the backend, not in this browser: the shop is told by Holdfast, and the account asks for a sign-in.
    const shop = demoClient('acme', 'shop');
    const { body } = await shop.get(await shownClaim(visitor, 'sub'));
    await visitor.confirms(false);
    expect(
      (await shop.call('POST', `${shop.api}/credentials/issued/${body.credentials[0]!.id}/revoke`, { json: {} }))
        .status,
    ).toBe(200);
    const account = `${shopOf('acme')}/account`;
    await eventually(
      async () => (await page.goto(account)) !== null && page.url() !== account,
      10_000,
      'the end of the session in the shop',
    );
    await visitor.heading('Sign in to Shop');
  });

  it('who turns back is told so by the shop', async () => {
    visitor = await Visitor.enter(browser, { present: false });
    await visitor.page.goto(`${shopOf('acme')}/sign-in`);
    await visitor.heading('Sign in to Shop');
    await visitor.press('Back to Shop');
    await visitor.heading('You are not signed in');
  });

  it('staff erase a customer, who is then not known', async () => {
    visitor = await Visitor.enter(browser, { viewport: desk });
    const { page } = visitor;
    await signUp(visitor, 'acme', 'Grace');
    await claimByLetter(visitor);
    await page.getByRole('link', { name: 'Sign in now' }).click();
    await visitor.heading('Hello, Grace');
    await page.goto(`${shopOf('acme')}/staff/${await shownClaim(visitor, 'sub')}`);
    await page.getByText('Erase this customer').click();
    await visitor.press('Erase for ever');
    await page.getByText('The customer is erased').waitFor();
    await page.goto(`${shopOf('acme')}/sign-in`);
    await visitor.heading('This passkey is not known here');
  });
});

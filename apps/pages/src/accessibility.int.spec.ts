import { describe, expect, test } from '@jest/globals';
import { contrasts } from './contrast.fixture.ts';
import {
  challenge,
  claim,
  invitation,
  invitationLink,
  link,
  PagesInBrowser,
  signIn,
  signInView,
  staffView,
} from './pages-in-browser.fixture.ts';
import type { ServiceStub } from './service-stub.fixture.ts';

const suite = process.env.HOLDFAST_NO_BROWSER === '1' ? describe.skip : describe;

suite('accessibility of the pages', () => {
  const pages = new PagesInBrowser();

  test.each([link, invitationLink, signIn])(
    '%s shows only a text about JavaScript when that is switched off',
    async (address) => {
      await pages.open({ javaScriptEnabled: false });
      await pages.page.goto(pages.base + address);
      expect((await pages.page.locator('body').innerText()).trim().split(/\n+/)).toEqual([
        'JavaScript is switched off',
        'This page needs JavaScript. Switch it on for this site, or open the link in another browser.',
      ]);
    },
  );

  test.each([
    ['light', 1280],
    ['dark', 1280],
    ['light', 360],
    ['dark', 360],
    // 200 % zoom of a narrow window.
    ['light', 180],
  ] as const)(
    'in %s mode, %i pixels wide, contrasts and target sizes suffice, and nothing scrolls sideways',
    async (colorScheme, width) => {
      await pages.open({ colorScheme, viewport: { width, height: 800 } });
      const screens: [string, ServiceStub['routes'], string][] = [
        [link, { 'POST /claim': claim() }, 'Create your passkey'],
        [
          link,
          { 'POST /claim': claim({ state: 'claimed', returnUrl: 'https://shop.example/' }) },
          'This link has been used',
        ],
        [invitationLink, { 'POST /invitation': invitation() }, 'Accept your invitation'],
        [signIn, { 'GET /sign-in/u1': signInView, 'POST /sign-in/u1/options': challenge }, 'Sign in to Shop'],
        [signIn, { 'GET /sign-in/u1': staffView, 'POST /sign-in/u1/options': challenge }, 'Sign in to Staff area'],
      ];
      for (const [address, routes, text] of screens) {
        pages.service.routes = routes;
        await pages.page.goto('about:blank');
        await pages.page.goto(pages.base + address);
        await pages.heading(text);
        for (const summary of await pages.page.locator('summary').all()) await summary.click();
        const measured = await contrasts(pages.page);
        expect(measured.length).toBeGreaterThan(4);
        expect(measured.filter(({ ratio, needed }) => ratio < needed)).toEqual([]);
        expect(await pages.page.evaluate(() => document.documentElement.scrollWidth)).toBeLessThanOrEqual(width);
        for (const control of await pages.page.locator('button, a').all())
          expect((await control.boundingBox())!.height).toBeGreaterThanOrEqual(44);
      }
    },
  );

  test('the keyboard reaches all controls in reading order, with a visible focus', async () => {
    pages.service.routes = { 'GET /sign-in/u1': signInView, 'POST /sign-in/u1/options': challenge };
    await pages.page.goto(pages.base + signIn);
    await pages.heading('Sign in to Shop');
    const order: string[] = [];
    for (let i = 0; i < 3; i++) {
      await pages.page.keyboard.press('Tab');
      order.push(
        await pages.page.evaluate(() => {
          const at = document.activeElement as HTMLElement;
          return `${at.textContent}: ${getComputedStyle(at).outlineWidth}`;
        }),
      );
    }
    expect(order).toEqual(['Sign in with a passkey: 3px', 'Back to Shop: 3px', 'What is a passkey?: 3px']);
  });
});

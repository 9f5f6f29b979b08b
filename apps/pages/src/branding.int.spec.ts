import { beforeEach, describe, expect, test } from '@jest/globals';
import { htmlPage, htmlPagePolicy } from '@holdfast/platform';
import { contrasts } from './contrast.fixture.ts';
import { challenge, claim, link, options, PagesInBrowser, signIn } from './pages-in-browser.fixture.ts';

const pages = new PagesInBrowser();
const { service } = pages;
const logoPath = `/o/acme/logos/${'a1'.repeat(16)}`;
const branded = (accentColor: string) => ({ shortId: 'acme', name: 'Acme', accentColor, logoPath });

beforeEach(() => {
  service.logo = undefined;
});

const primaryColor = () =>
  pages.page.locator('.primary').evaluate((element) => getComputedStyle(element).backgroundColor);

describe.each(['light', 'dark'] as const)('in the %s theme', (colorScheme) => {
  test.each(['#ffee00', '#101010', '#00aa88', '#cc0033'])(
    'every text in the accent colour %s can be read',
    async (color) => {
      await pages.open({ colorScheme });
      service.routes = {
        'GET /sign-in/u1': { body: { organization: branded(color), app: { name: 'Shop' } } },
        'POST /sign-in/u1/options': challenge(),
      };
      service.logo = Buffer.from(
        'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==',
        'base64',
      );
      await pages.page.goto(pages.base + signIn);
      await pages.page.locator('img.logo').waitFor();
      const ratios = await contrasts(pages.page);
      expect(ratios.length).toBeGreaterThan(3);
      expect(ratios.filter(({ ratio, needed }) => ratio < needed)).toEqual([]);
    },
  );

  test('a message without a script has the same colour as a page with one', async () => {
    await pages.open({ colorScheme });
    service.routes = {
      'GET /sign-in/u1': { body: { organization: branded('#ffee00'), app: { name: 'Shop' } } },
      'POST /sign-in/u1/options': challenge(),
    };
    await pages.page.goto(pages.base + signIn);
    await pages.page.locator('.primary').waitFor();
    const ofScript = await primaryColor();
    const organization = branded('#ffee00');
    service.message = htmlPage({
      organization,
      tone: 'good',
      language: 'en',
      title: 'Done',
      body: '<a class="control primary" href="/there">Continue</a>',
    });
    service.messagePolicy = htmlPagePolicy(organization);
    await pages.page.goto(`${pages.base}/message`);
    expect(await primaryColor()).toBe(ofScript);
  });
});

test('without its logo, a page shows the first letter of the name', async () => {
  service.routes = {
    'POST /claim': claim({ organization: branded('#0b57a4') }),
    'POST /claim/options': options(),
  };
  await pages.page.goto(pages.base + link);
  await pages.page.locator('.initial').waitFor();
  expect(await pages.page.locator('.initial').textContent()).toBe('A');
  expect(await pages.page.locator('img.logo').count()).toBe(0);
});

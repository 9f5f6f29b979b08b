// The language of the pages: that of the app, or else the browser's.
import { describe, expect, test } from '@jest/globals';
import { authenticator } from './chromium.fixture.ts';
import {
  challenge,
  claim,
  link,
  options,
  PagesInBrowser,
  signIn,
  signInView,
  verify,
} from './pages-in-browser.fixture.ts';

const suite = process.env.HOLDFAST_NO_BROWSER === '1' ? describe.skip : describe;

suite('the language of the pages', () => {
  const pages = new PagesInBrowser();
  const documentLanguage = () =>
    pages.page.evaluate(() => [document.documentElement.lang, document.documentElement.dir]);

  test('is German for a browser that prefers it, from the link to the passkey', async () => {
    await pages.open({ locale: 'de-AT', timezoneId: 'Europe/Vienna' });
    pages.service.routes = {
      'POST /claim': claim(),
      'POST /claim/options': options,
      'POST /claim/complete': { body: { returnUrl: `${pages.base}/there` } },
    };
    await authenticator(pages.page);
    await pages.page.goto(pages.base + link);
    await pages.heading('Erstellen Sie Ihren Passkey');
    expect(await documentLanguage()).toEqual(['de-DE', 'ltr']);
    await pages.page.getByText('24. November 2026 um 09:49 MEZ').waitFor();
    await pages.press('Meinen Passkey erstellen');
    await pages.heading('Ihr Passkey ist fertig');
    await pages.page.getByRole('link', { name: 'Weiter' }).click();
    await pages.page.waitForURL(`${pages.base}/there`);
  });

  test('is that of the app on the sign-in page, whatever the browser prefers', async () => {
    pages.service.routes = { 'GET /sign-in/u1': signInView, 'POST /sign-in/u1/options': challenge };
    await pages.page.goto(`${pages.base}${signIn}?ui_locales=de`);
    await pages.heading('Bei Shop anmelden');
    await pages.open({ locale: 'de-DE' });
    await pages.page.goto(`${pages.base}${signIn}?ui_locales=en`);
    await pages.heading('Sign in to Shop');
  });

  test('is English for other languages, and when the file of a language does not load', async () => {
    await pages.open({ locale: 'fr-FR' });
    await pages.page.goto(pages.base + verify);
    await pages.heading('Verify an audit log');
    await pages.open({ locale: 'de-DE' });
    await pages.page.goto(pages.base + verify);
    await pages.heading('Ein Audit-Log prüfen');
    await pages.page.route('**/pages/de-*.js', (route) => route.abort());
    await pages.page.reload();
    await pages.heading('Verify an audit log');
    expect(await documentLanguage()).toEqual(['en-GB', 'ltr']);
  });
});

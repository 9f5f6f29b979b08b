// The language of pages: `ui_locales` of the app (OpenID Connect Core §3.1.2.1), or else Accept-Language.
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { closeConnections, exchange } from '../clients/http.ts';
import { stack } from '../clients/under-test.ts';
import { RelyingParty } from './relying-party.fixture.ts';
import { UserAgent } from './user-agent.ts';

let site: RelyingParty;
let issuer: string;
beforeAll(async () => {
  site = await RelyingParty.make(await stack.newOrganization(), 'shop', {});
  issuer = `/o/${site.app.org}`;
});
afterAll(closeConnections);

const german = 'de-AT, de;q=0.9, en;q=0.8';

/** A page as a browser gets it. */
async function page(path: string, acceptLanguage: string) {
  const headers = { accept: 'text/html', 'sec-fetch-mode': 'navigate', 'accept-language': acceptLanguage };
  const { text } = await exchange({ origin: stack.gateways[0]!, path, headers });
  return { language: /<html lang="([^"]*)"/.exec(text)?.[1], heading: /<h1>([^<]*)</.exec(text)?.[1] };
}

describe('the sign-in page', () => {
  it.each([
    ['de', '?ui_locales=de'],
    ['fr de-AT en', '?ui_locales=de'],
    ['en-GB de', '?ui_locales=en'],
    ['fr', ''],
    ['', ''],
    ['<script>', ''],
  ])('has the language of ui_locales=%s in its address', async (uiLocales, query) => {
    const agent = new UserAgent(stack.baseUrl);
    const { location } = await agent.go((await site.begin({ ui_locales: uiLocales })).url);
    expect(location.replace(/^.*\/sign-in\/[^?]+/, '')).toBe(query);
  });

  it('has languages that the metadata of the issuer list', () => {
    expect(site.config.serverMetadata().ui_locales_supported).toEqual(['en', 'de']);
  });
});

describe('pages of gateway and issuer', () => {
  it('are in the language of the browser', async () => {
    const headings: [path: string, english: string, german: string][] = [
      ['/', 'This is a sign-in service', 'Das ist ein Anmeldedienst'],
      ['/nothing', 'There is no page at this address', 'An dieser Adresse ist keine Seite'],
      ['/o/no-such-organization', 'No organization has this address', 'Keine Organisation hat diese Adresse'],
      [`${issuer}/authorize`, 'This link does not lead to a sign-in', 'Dieser Link führt zu keiner Anmeldung'],
      [`${issuer}/authorize/Vh2mYp0sQkLw7dXz`, 'This sign-in has ended', 'Diese Anmeldung ist beendet'],
      [`${issuer}/device`, 'Sign in on your device', 'Auf Ihrem Gerät anmelden'],
      [`${issuer}/session/end/success`, 'You are signed out', 'Sie sind abgemeldet'],
    ];
    for (const [path, english, inGerman] of headings) {
      expect([path, await page(path, 'en')]).toEqual([path, { language: 'en', heading: english }]);
      expect([path, await page(path, german)]).toEqual([path, { language: 'de', heading: inGerman }]);
    }
  });
});

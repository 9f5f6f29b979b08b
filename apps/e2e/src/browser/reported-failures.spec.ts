// What users of comparable systems have reported: seven ways in which a customer was locked out or lost
// (docs/customers.md). Each is tried as a person meets it, in a browser against the running services.
import { randomUUID } from 'node:crypto';
import { afterAll, afterEach, beforeAll, beforeEach, expect, it } from '@jest/globals';
import type { Browser, Route } from 'playwright-core';
import { updateOrganization, type Offer } from '@holdfast/contracts';
import { eventually, SoftwareAuthenticator } from '@holdfast/testing';
import type { Client } from '../clients/client.ts';
import { closeConnections } from '../clients/http.ts';
import { demoClient, stack } from '../clients/under-test.ts';
import { claim, tokenOf } from '../sign-in/customer.fixture.ts';
import { busClient, operatorActor } from '../stack/nats.ts';
import { launch, Visitor } from './chromium.fixture.ts';
import { claimByMessage, shopOf, shownClaim, signUp } from './shop.fixture.ts';
import { withBrowser } from './with-browser.fixture.ts';

const startUrl = 'https://acme.example/start';

/** Runs in the page before its own scripts. */
const markClickAndDialogue = `
  const create = navigator.credentials.create.bind(navigator.credentials);
  addEventListener('click', () => performance.mark('click'), { capture: true });
  navigator.credentials.create = (given) => {
    performance.mark('dialogue');
    return create(given);
  };`;
/** Addresses of the requests that began between the two. */
const requestsBetween = `(() => {
  const [click, dialogue] = ['click', 'dialogue'].map((name) => performance.getEntriesByName(name)[0].startTime);
  const during = ({ startTime }) => startTime >= click && startTime <= dialogue;
  return performance.getEntriesByType('resource').filter(during).map(({ name }) => name);
})()`;

withBrowser('a reported failure of the way of a customer', () => {
  let browser: Browser;
  let visitor: Visitor;
  let shop: Client;
  beforeAll(async () => {
    browser = await launch();
    shop = demoClient('acme', 'shop');
    await setStart(startUrl);
  });
  afterAll(async () => {
    await setStart(null);
    await browser?.close();
    closeConnections();
  });
  beforeEach(async () => void (visitor = await Visitor.open(browser)));
  afterEach(async () => {
    const { errors } = visitor;
    await visitor.close();
    expect(errors).toEqual([]);
  });

  async function setStart(url: string | null): Promise<void> {
    const operator = await busClient(stack, 'operator', 'acme', operatorActor);
    await operator.request(updateOrganization, { shortId: 'acme', startUrl: url });
    await operator.close();
  }
  const offer = async (json: object = {}): Promise<Offer> => (await shop.offer<Offer>(json)).body;
  /** Signs up at the shop, claims and signs in. Resolves to the name of the customer. */
  async function join(): Promise<string> {
    const name = `Ada ${randomUUID().slice(0, 8)}`;
    await signUp(visitor, 'acme', name);
    await claimByMessage(visitor);
    await visitor.followLink('Sign in now');
    await visitor.heading(`Hello, ${name}`);
    return name;
  }
  /** Goes to the sign-in page without a session anywhere. */
  async function beginSignIn(): Promise<void> {
    await visitor.page.context().clearCookies();
    await visitor.page.goto(`${shopOf('acme')}/sign-in`);
  }

  it('a link that opens in the web view of a mail app is not lost: it goes back into the address', async () => {
    const { claimUrl } = await offer();
    const inMailApp = await Visitor.open(browser, {
      userAgent:
        'Mozilla/5.0 (Linux; Android 16; Pixel 9; wv) AppleWebKit/537.36 (KHTML, like Gecko) Version/4.0 ' +
        'Chrome/142.0.0.0 Mobile Safari/537.36',
    });
    // As web views do that may not use passkeys.
    await inMailApp.page.addInitScript(
      "navigator.credentials.create = () => Promise.reject(new DOMException('not allowed', 'NotAllowedError'))",
    );
    await inMailApp.page.goto(claimUrl);
    await inMailApp.press('Create my passkey');
    await inMailApp.heading('Open this link in your browser');
    expect(inMailApp.page.url()).toBe(claimUrl);
    await inMailApp.page.getByRole('button', { name: 'Copy link' }).waitFor();
    expect(inMailApp.errors).toEqual([]);
    await inMailApp.close();

    await visitor.page.goto(claimUrl);
    await visitor.press('Create my passkey');
    await visitor.heading('Your passkey is ready');
  });

  it('a recovery that fails half-way leaves the passkey that works, and can be completed later', async () => {
    const name = await join();
    const [earlier] = await visitor.passkeys();
    const { claimUrl } = await offer({ subject: await shownClaim(visitor, 'sub') });
    const interrupted = (route: Route) => route.abort('connectionfailed');
    await visitor.page.route('**/claim/complete', interrupted);
    await visitor.page.goto(claimUrl);
    await visitor.press('Create my passkey');
    await visitor.heading('We cannot be reached right now');
    // The device has both; the server knows the earlier one alone.
    const later = (await visitor.passkeys()).filter(({ credentialId }) => credentialId !== earlier!.credentialId);
    expect(later).toHaveLength(1);
    await visitor.setPasskeys([earlier!]);
    await beginSignIn();
    await visitor.heading(`Hello, ${name}`);

    await visitor.page.unroute('**/claim/complete', interrupted);
    await visitor.page.goto('about:blank');
    await visitor.page.goto(claimUrl);
    await visitor.press('Create my passkey');
    await visitor.heading('Your passkey is ready');
    await eventually(async () =>
      expect((await visitor.passkeys()).map(({ credentialId }) => credentialId)).not.toContain(earlier!.credentialId),
    );
    await beginSignIn();
    await visitor.heading(`Hello, ${name}`);
  });

  it('a bookmarked sign-in address names the organization and leads on', async () => {
    await visitor.setAutomaticConfirmation(false);
    await visitor.page.goto(`${shopOf('acme')}/sign-in`);
    await visitor.heading('Sign in to Shop');
    const bookmark = visitor.page.url();
    const later = await Visitor.open(browser);
    await later.page.goto(bookmark);
    await later.heading('Please start again');
    expect(await later.page.getByRole('link', { name: 'Continue to Acme' }).getAttribute('href')).toBe(startUrl);
    expect(later.errors).toEqual([]);
    await later.close();
  });

  it('a passkey of an account that was erased leaves the picker when the customer tries it', async () => {
    await join();
    const subject = await shownClaim(visitor, 'sub');
    expect((await shop.erase(subject)).status).toBe(204);
    await beginSignIn();
    await visitor.heading('This passkey is not known here');
    await eventually(async () => expect(await visitor.passkeys()).toEqual([]));
  });

  it('a password manager that drops the counter locks nobody out', async () => {
    await visitor.close();
    visitor = await Visitor.open(browser, { synced: true });
    const name = await join();
    const [passkey] = await visitor.passkeys();
    expect(passkey!.signCount).toBeGreaterThan(1);
    for (let device = 0; device < 2; device += 1) {
      await visitor.setPasskeys([{ ...passkey!, signCount: 0 }]);
      await beginSignIn();
      await visitor.heading(`Hello, ${name}`);
    }
  });

  it.each([
    [
      'packed',
      new Map<string, number | Buffer>([
        ['alg', -7],
        ['sig', Buffer.from('nonsense')],
      ]),
    ],
    ['fido-u2f', new Map<string, number | Buffer>([['sig', Buffer.alloc(70)]])],
    ['a format of the future', new Map<string, number | Buffer>()],
  ])('an attestation (%s) that nobody asked for refuses no passkey', async (format, statement) => {
    const { claimUrl } = await offer();
    const authenticator = new SoftwareAuthenticator();
    expect(await claim('acme', tokenOf(claimUrl), authenticator, { attestation: [format, statement] })).toMatchObject({
      status: 200,
    });
  });

  it('slow options do not use up the click: the dialogue opens without a request in between', async () => {
    await visitor.page.route('**/claim/options', async (route) => {
      await new Promise((resolve) => setTimeout(resolve, 400));
      await route.continue();
    });
    await visitor.page.addInitScript(markClickAndDialogue);
    const { claimUrl } = await offer();
    const prepared = visitor.page.waitForResponse('**/claim/options');
    await visitor.page.goto(claimUrl);
    await prepared;
    await visitor.press('Create my passkey');
    await visitor.heading('Your passkey is ready');
    const between = await visitor.page.evaluate<string[]>(requestsBetween);
    expect(between).toEqual([]);
  });
});

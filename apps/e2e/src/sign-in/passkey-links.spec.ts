// Links by which another device makes a passkey, and which the signed-in page confirms (product §5).
import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { SoftwareAuthenticator } from '@holdfast/testing';
import type { Client } from '../clients/client.ts';
import { closeConnections } from '../clients/http.ts';
import { customerScopes, newClients, stack } from '../clients/under-test.ts';
import { AccountPage } from './account-page.fixture.ts';
import { newCustomer, origin, tokenOf } from './customer.fixture.ts';
import { UserAgent } from './user-agent.ts';

let shop: Client;
beforeAll(async () => {
  ({ shop } = await newClients({ shop: { grants: customerScopes, redirectUris: ['https://shop.example/callback'] } }));
});
afterAll(closeConnections);

/** A device that opens the link. */
class Device {
  readonly agent = new UserAgent(stack.baseUrl);
  readonly api = `/o/${shop.app.org}/api/passkey`;
  readonly token: string;
  readonly authenticator = new SoftwareAuthenticator();

  constructor(token: string) {
    this.token = token;
  }

  read() {
    return this.agent.post(this.api, { token: this.token });
  }

  async register(): Promise<object> {
    const { status, text, json } = await this.agent.post(`${this.api}/options`, { token: this.token });
    if (status !== 200) throw new Error(`no options: ${status} ${text}`);
    return this.authenticator.register(json.options as object, { origin });
  }

  complete(response: object) {
    return this.agent.post(`${this.api}/complete`, { token: this.token, response });
  }
}

async function linked() {
  const customer = await newCustomer(shop);
  const page = await AccountPage.signedIn(shop.app.org, customer.authenticator);
  const { json } = await page.post('/link');
  return { ...customer, page, device: new Device(tokenOf(json.address as string)) };
}

it('adds the passkey of another device once the signed-in page has confirmed its code', async () => {
  const { page, device, subject } = await linked();
  expect((await page.post('/link/state')).json).toEqual({ state: 'open' });
  expect((await device.read()).json).toMatchObject({ state: 'open', organization: { name: expect.any(String) } });
  const { json } = await device.complete(await device.register());
  expect(json).toEqual({ code: expect.stringMatching(/^[0-9A-Z]{4}$/) });
  expect((await device.read()).json).toMatchObject({ state: 'used' });
  // Until then it signs in nowhere.
  expect((await new AccountPage(shop.app.org).signIn(device.authenticator)).json).toEqual({
    refused: 'unknown_passkey',
  });
  expect((await page.read()).passkeys).toHaveLength(1);
  expect((await page.post('/link/state')).json).toMatchObject({ state: 'created', code: json.code });
  const wrong = json.code === '0000' ? '1111' : '0000';
  expect((await page.post('/link/confirm', { code: wrong })).json).toMatchObject({ code: 'passkey_link_expired' });
  const confirmed = await Promise.all([1, 2, 3].map(() => page.post('/link/confirm', { code: json.code })));
  expect(confirmed.map(({ status }) => status).sort()).toEqual([200, 410, 410]);
  expect((await page.read()).passkeys).toHaveLength(2);
  expect((await (await AccountPage.signedIn(shop.app.org, device.authenticator)).read()).passkeys).toHaveLength(2);
  expect(subject).toEqual(expect.any(String));
});

it('of ten devices with the link lets one make a passkey, and its response counts in its browser only', async () => {
  const { page, device } = await linked();
  const devices = [device, ...Array.from({ length: 9 }, () => new Device(device.token))];
  const responses = await Promise.all(devices.map((one) => one.register()));
  expect((await devices[0]!.complete(responses[1]!)).json).toMatchObject({ code: 'ceremony_expired' });
  const results = await Promise.all(devices.map((one, i) => one.complete(responses[i]!)));
  const statuses = results.map(({ status }) => status).sort();
  expect(statuses).toEqual([200, ...Array.from({ length: 9 }, () => 410)]);
  expect((await page.post('/link/end')).status).toBe(200);
  const { code } = results.find(({ status }) => status === 200)!.json;
  expect((await page.post('/link/confirm', { code })).status).toBe(410);
  expect((await page.read()).passkeys).toHaveLength(1);
});

it('ends with a newer link, with the passkey that it was made with, and with the customer', async () => {
  const { page, device, subject } = await linked();
  const { json } = await page.post('/link');
  expect((await device.read()).json).toMatchObject({ code: 'unknown_passkey_link' });
  const newer = new Device(tokenOf(json.address as string));
  const response = await newer.register();
  const second = new SoftwareAuthenticator();
  expect((await page.add(second)).status).toBe(200);
  const { passkeys, current } = await page.read();
  const other = await AccountPage.signedIn(shop.app.org, second);
  expect((await other.post('/passkeys/remove', { passkey: current })).status).toBe(200);
  expect(passkeys).toHaveLength(2);
  expect((await newer.complete(response)).json).toMatchObject({ code: 'unknown_passkey_link' });
  const last = new Device(tokenOf((await other.post('/link')).json.address as string));
  const late = await last.register();
  expect((await shop.erase(subject)).status).toBe(204);
  expect((await last.complete(late)).json).toMatchObject({ code: 'unknown_passkey_link' });
});

it('is unknown at another organization, without its token, and to other customers', async () => {
  const { device } = await linked();
  const elsewhere = await newClients({ shop: { grants: customerScopes, redirectUris: ['https://shop.example/cb'] } });
  const { org } = elsewhere.shop.app;
  const agent = new UserAgent(stack.baseUrl);
  for (const [path, token] of [
    [`/o/${org}/api/passkey`, device.token],
    [device.api, 'x'.repeat(43)],
    [device.api, 'short'],
    ['/o/no-such-org/api/passkey', device.token],
  ] as const)
    for (const step of ['', '/options'])
      expect((await agent.post(path + step, { token })).json).toMatchObject({ code: 'unknown_passkey_link' });
  const stranger = await AccountPage.signedIn(shop.app.org, (await newCustomer(shop)).authenticator);
  expect((await stranger.post('/link/state')).json).toEqual({ state: 'none' });
});

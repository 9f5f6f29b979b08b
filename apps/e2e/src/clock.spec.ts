// A stack whose clock is shifted past the expiration of its offers and credentials (HOLDFAST_TEST_CLOCK): list, get,
// sign-in and feed agree.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { eventually } from '@holdfast/testing';
import { CustomerBrowsers, redirectUris, type Devices } from './chaos/customer-browsers.fixture.ts';
import { FeedReader } from './chaos/feed-reader.ts';
import { PrivateStack } from './chaos/private-stack.ts';
import { Client } from './client.ts';
import { closeConnections, exchange } from './http.ts';
import type { App } from './stack.ts';
import { customerScopes, stack } from './under-test.ts';

const ownStack = new PrivateStack(join(stack.home, 'clock'), 'gateway=1');
const twoYears = 2 * 366 * 86_400;
let app: App;
let shop: Client;
let reader: Client;
let customer: { subject: string; devices: Devices };
let open: { subject: string; claimUrl: string };

beforeAll(async () => {
  await ownStack.start();
  const org = await ownStack.newOrganization();
  app = await ownStack.newApp(org, 'shop', customerScopes, 'web', redirectUris);
  shop = new Client(ownStack, app);
  reader = new Client(ownStack, await ownStack.newApp(org, 'reader', ['webhooks:manage'], 'service'));
  const browsers = await CustomerBrowsers.of(ownStack, app);
  const offer = (await shop.offer({ validUntil: new Date(Date.now() + 30 * 86_400_000).toISOString() })).body;
  customer = { subject: offer.subject, devices: await browsers.claim(offer) };
  await browsers.signIn(customer.subject, customer.devices);
  open = (await shop.offer()).body;
  await ownStack.stop();
  ownStack.settings = { HOLDFAST_TEST_CLOCK: `+${twoYears}` };
  await ownStack.start();
  [shop, reader].forEach((client) => client.clearToken());
}, 180_000);
afterAll(async () => {
  await ownStack.remove();
  closeConnections();
}, 60_000);

it('counts an expired credential as not live and an expired offer as not open', async () => {
  const subjects = new Map((await shop.all()).map((s) => [s.subject, s]));
  expect(subjects.get(customer.subject)).toMatchObject({ claimed: true, credentials: 1, live: 0, openOffers: 0 });
  expect(subjects.get(open.subject)).toMatchObject({ claimed: false, credentials: 1, live: 0, openOffers: 0 });
  const [credential] = (await shop.get(customer.subject)).body.credentials;
  expect(credential).toMatchObject({ status: 'issued' });
  expect(Date.parse(credential!.expiresAt!)).toBeLessThan(Date.now() + twoYears * 1000);
});

it('refuses sign-in and claim after the expiration, and issues new credentials by the shifted clock', async () => {
  const token = new URL(open.claimUrl).hash.slice(1);
  const claim = await exchange({
    origin: ownStack.baseUrl,
    method: 'POST',
    path: `/o/${app.org}/api/claim/options`,
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ token }),
  });
  expect([claim.status, claim.body.code]).toEqual([410, 'claim_expired']);
  const browsers = await CustomerBrowsers.of(ownStack, app, twoYears);
  expect(await browsers.signInError(customer.devices[0]!)).toBeDefined();
  const offer = (await shop.offer()).body;
  const devices = await browsers.claim(offer);
  await browsers.signIn(offer.subject, devices);
  expect(browsers.errors).toEqual([]);
  expect((await shop.all()).find((s) => s.subject === offer.subject)).toMatchObject({ live: 1 });
});

it('emits the expiration of credential and offer', async () => {
  await eventually(async () => {
    const events = await new FeedReader(reader).read();
    const types = (subject: string) => events.filter((e) => e.data.subject === subject).map((e) => e.type);
    expect(types(customer.subject)).toEqual(['offer.created', 'credential.issued', 'credential.expired']);
    expect(types(open.subject)).toEqual(['offer.created', 'offer.expired']);
  }, 20_000);
});

it('reports the shifted clock in the log of every service and at /readyz', async () => {
  for (const { name, replica } of ownStack.demo.services) {
    const log = readFileSync(join(ownStack.home, 'logs', `${name}-${replica}.log`), 'utf8');
    const line = `HOLDFAST_TEST_CLOCK shifts this service's clock by +${twoYears} s.`;
    expect([name, log.includes(line)]).toEqual([name, true]);
  }
  // The readiness of a gateway is at its public address, which shows no details.
  const internal = ownStack.demo.services.filter(({ name }) => name !== 'gateway');
  for (const { readyUrl } of internal)
    expect(await (await fetch(readyUrl)).text()).toBe(`ready; test clock ${twoYears} s\n`);
});

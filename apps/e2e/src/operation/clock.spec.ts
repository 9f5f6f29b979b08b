// A stack whose clock is shifted (HOLDFAST_TEST_CLOCK): by minutes, so that the sign-ins of people are not recent and
// an approved access has ended; then past the expiration of offers, credentials and access requests, where list, get,
// sign-in and feed agree.
import { randomUUID } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { AccessRequest, User } from '@holdfast/contracts';
import { eventually } from '@holdfast/testing';
import { CustomerBrowsers, redirectUris, type Devices } from '../chaos/customer-browsers.fixture.ts';
import { FeedReader } from '../chaos/feed-reader.ts';
import { PrivateStack } from '../chaos/private-stack.ts';
import { Client } from '../clients/client.ts';
import { closeConnections, exchange } from '../clients/http.ts';
import { customerScopes, stack } from '../clients/under-test.ts';
import { HubUser, newPerson, type Person } from '../people/person.fixture.ts';
import type { App } from '../stack/stack.ts';

const ownStack = new PrivateStack(join(stack.home, 'clock'), 'gateway=1');
const twoYears = 2 * 366 * 86_400;
/** Longer than a sign-in counts as recent, and than the shortest access that can be approved. */
const minutes = 700;
let app: App;
let shop: Client;
let reader: Client;
let customer: { subject: string; devices: Devices };
let open: { subject: string; claimUrl: string };
let desk: App;
let owner: HubUser;
let approver: HubUser;
let colleague: Person;
/** Access requests: one was approved, nobody decides the other one. */
let approved: AccessRequest;
let undecided: AccessRequest;

/** Restarts the services with their clock ahead by this. */
async function advance(seconds: number): Promise<void> {
  const services = ownStack.demo.services.map(({ name, replica }) => `${name}-${replica}`);
  const settings = { HOLDFAST_TEST_CLOCK: `+${seconds}` };
  await Promise.all(services.map((service) => ownStack.control('stop', service)));
  await Promise.all(services.map((service) => ownStack.control('start', service, { settings })));
  [shop, reader].forEach((client) => client.clearToken());
}

beforeAll(async () => {
  await ownStack.start();
  const org = await ownStack.newOrganization();
  app = await ownStack.newApp(org, 'shop', customerScopes, 'web', redirectUris);
  shop = new Client(ownStack, app);
  reader = new Client(
    ownStack,
    await ownStack.newApp(org, 'reader', ['webhooks:manage', 'audit:read', 'entitlements:view'], 'service'),
  );
  const browsers = await CustomerBrowsers.of(ownStack, app);
  const offer = (await shop.offer({ validUntil: new Date(Date.now() + 30 * 86_400_000).toISOString() })).body;
  customer = { subject: offer.subject, devices: await browsers.claim(offer) };
  await browsers.signIn(customer.subject, customer.devices);
  open = (await shop.offer()).body;

  const options = ['--name', 'desk', '--kind', 'web', '--audience', 'people'];
  desk = (await ownStack.operator<{ app: App }>('app', 'create', org, ...options)).app;
  [owner, approver, colleague] = await Promise.all([
    HubUser.make(org, ['owner'], ownStack),
    HubUser.make(org, ['approver'], ownStack),
    newPerson(org, [], ownStack),
  ]);
  const given = { app: desk.clientId, reason: 'On call', durationSeconds: 600 };
  const { id } = (await owner.call<AccessRequest>('POST', '/access-requests', given)).body;
  approved = (await approver.call<AccessRequest>('POST', `/access-requests/${id}/approve`, { durationSeconds: 300 }))
    .body;
  undecided = (await approver.call<AccessRequest>('POST', '/access-requests', given)).body;
  await advance(minutes);
});
afterAll(async () => {
  await ownStack.remove();
  closeConnections();
});

describe('minutes later', () => {
  it('a person changes what widens rights only after another sign-in, and each refusal is in the log', async () => {
    const at = `/apps/${app.clientId}`;
    const redirects = ['https://shop.example/v2/callback'];
    const staff = await ownStack.createApp({ org: app.org, name: 'staff', kind: 'web', audience: 'people' });
    // An empty group gives nobody access, so an old session makes one.
    const { id: group } = (await owner.call<{ id: string }>('POST', '/groups', { name: 'Support' })).body;
    const changes: [string, string, object?][] = [
      ['POST', `/users/${colleague.id}/roles`, { roles: ['admin'] }],
      ['POST', '/users', { email: 'new@example.com', name: 'New', roles: ['support'] }],
      ['POST', '/users', { email: 'plain@example.com', name: 'Plain' }],
      ['PATCH', `/users/${colleague.id}`, { email: 'another@example.com' }],
      ['POST', `/groups/${group}/members`, { users: [colleague.id] }],
      ['PATCH', `/groups/${group}`, { name: 'Admins' }],
      ['POST', `/apps/${staff.clientId}/assignments`, { group }],
      ['PATCH', `/apps/${staff.clientId}`, { redirectUris: redirects }],
      ['POST', `/access-requests/${randomUUID()}/approve`, {}],
      ['POST', '/audit/exports', { format: 'ndjson' }],
      ['POST', `/users/${colleague.id}/reactivate`],
      ['POST', `/users/${colleague.id}/invitation`, {}],
      ['POST', '/apps', { name: 'robot', kind: 'service' }],
      ['POST', '/apps', { name: 'site', kind: 'spa' }],
      ['POST', `${at}/grants`, { operations: ['offers:write'] }],
      ['POST', `${at}/secrets`],
      ['POST', `${at}/enable`],
      ['PATCH', at, { redirectUris: [...redirectUris, ...redirects] }],
      ['PATCH', at, { postLogoutRedirectUris: redirects }],
      ['PATCH', at, { backchannelLogoutUri: redirects[0] }],
      ['PATCH', at, { pkce: 'optional' }],
      ['POST', '/users/me/passkeys', { response: {} }],
    ];
    for (const [method, path, json] of changes) {
      const { status, body, headers } = await owner.call(method, path, json);
      expect([method, path, status, body.code]).toEqual([method, path, 401, 'step_up_required']);
      expect(headers['www-authenticate']).toContain('error="insufficient_user_authentication", max_age="600"');
    }
    const refused = (await reader.wholeLog()).filter(({ outcome }) => outcome.code === 'step_up_required');
    expect(refused.map(({ actor, outcome }) => `${actor.type} ${outcome.result}`)).toEqual(
      changes.map(() => 'person denied'),
    );
    // What widens nothing needs no other sign-in: the session goes on.
    for (const [method, path, json] of [
      ['GET', '/users/me', undefined],
      ['PATCH', `/users/${colleague.id}`, { name: 'Another Name' }],
      ['PATCH', `/groups/${group}`, { description: 'Who helps' }],
      ['PATCH', at, { displayName: 'Shop', redirectUris }],
    ] as const)
      expect([method, path, (await owner.call(method, path, json)).status < 300]).toEqual([method, path, true]);

    const recent = await HubUser.signIn(owner.person, ownStack);
    // Nobody made the access request, and the last one is no response of an authenticator, which is found only now.
    const found = (path: string, status: number) =>
      path.endsWith('approve') ? 404 : path.endsWith('passkeys') ? 422 : status < 300 && status;
    for (const [method, path, json] of changes) {
      const { status } = await recent.call(method, path, json);
      expect([method, path, status]).toEqual([method, path, found(path, status)]);
    }
    const { body } = await recent.call<User>('GET', `/users/${colleague.id}`);
    expect(body.roles).toEqual(['admin']);
  });

  it('an approved access has ended by itself, and an event says so', async () => {
    const { items } = (
      await reader.call<{ items: object[] }>('GET', `${reader.api}/admin/entitlements?app=${desk.clientId}`)
    ).body;
    expect(items).toEqual([]);
    const ended = await eventually(
      async () => (await reader.feed()).find(({ type }) => type === 'assignment.ended') ?? false,
    );
    expect(ended.data).toEqual({
      app: desk.clientId,
      assignment: approved.assignment,
      user: owner.id,
      cause: 'expired',
    });
    const { body } = await approver.call<AccessRequest>('GET', `/access-requests/${approved.id}`);
    expect(body).toMatchObject({ status: 'approved', grantedSeconds: 300 });
    expect(body).not.toHaveProperty('assignment');
  });
});

describe('two years later', () => {
  beforeAll(() => advance(twoYears));

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
    });
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

  it('an access request that nobody decided has expired, with an event, and nobody decides it any more', async () => {
    expect((await owner.call('GET', '/users/me')).status).toBe(401);
    const session = await HubUser.signIn(owner.person, ownStack);
    const path = `/access-requests/${undecided.id}`;
    expect((await session.call<AccessRequest>('GET', path)).body.status).toBe('expired');
    for (const [verb, json] of [
      ['approve', undefined],
      ['deny', { reason: 'Too late' }],
    ] as const) {
      const late = await session.call('POST', `${path}/${verb}`, json);
      expect([late.status, late.body.code]).toEqual([409, 'invalid_state']);
      expect(late.body.detail).toContain('expired');
    }
    await eventually(async () =>
      (await reader.feed()).some(
        ({ type, data }) => type === 'access_request.expired' && data.accessRequest === undecided.id,
      ),
    );
    const log = await reader.wholeLog({ action: 'access_request.expire' });
    expect(log.map(({ actor }) => actor.type)).toEqual(['system']);
  });
});

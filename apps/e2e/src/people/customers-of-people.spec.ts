// What people do for customers at the hub: they see those of every app, and each role does what it may and no more.
// What a person prepared ends with the right of that person.
import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, expect, it } from '@jest/globals';
import {
  roleNames,
  type Offer,
  type OpenOffer,
  type Role,
  type Subject,
  type SubjectSummary,
} from '@holdfast/contracts';
import { eventually, SoftwareAuthenticator } from '@holdfast/testing';
import { Client } from '../clients/client.ts';
import { closeConnections, type Problem } from '../clients/http.ts';
import { customerScopes, stack } from '../clients/under-test.ts';
import { claim, readClaim, tokenOf } from '../sign-in/customer.fixture.ts';
import { HubUser } from './person.fixture.ts';

let org: string;
let shop: Client;
let kiosk: Client;
let people: Record<Role, HubUser>;
beforeAll(async () => {
  org = await stack.newOrganization();
  const newClient = async (name: string) => new Client(stack, await stack.newApp(org, name, customerScopes));
  [shop, kiosk] = [await newClient('shop'), await newClient('kiosk')];
  const made = await Promise.all(roleNames.map(async (role) => [role, await HubUser.make(org, [role])] as const));
  people = Object.fromEntries(made) as Record<Role, HubUser>;
});
afterAll(closeConnections);

const claimed = async (client: Client): Promise<Offer> => {
  const { body: offer } = await client.offer();
  await claim(org, tokenOf(offer.claimUrl), new SoftwareAuthenticator());
  return offer;
};
const stateOf = async ({ claimUrl }: Offer) => (await readClaim<{ state: string }>(org, tokenOf(claimUrl))).body.state;
const offerBy = (person: HubUser, body: object) => person.customers<Offer & Problem>('POST', '/offers', body);
const outcome = ({ status, body }: { status: number; body: unknown }) =>
  `${status} ${(body as Problem | undefined)?.code ?? ''}`.trim();

it.each<[Role, { reads: boolean; supports: boolean; manages: boolean }]>([
  ['owner', { reads: true, supports: true, manages: true }],
  ['admin', { reads: true, supports: true, manages: true }],
  ['auditor', { reads: true, supports: false, manages: false }],
  ['approver', { reads: false, supports: false, manages: false }],
  ['support', { reads: true, supports: true, manages: false }],
])('a person with the role %s reads and changes customers as far as the role allows', async (role, may) => {
  const person = people[role];
  const refused = '403 insufficient_scope';
  const { subject, credentialId } = await claimed(kiosk);
  const credential = `/issued/${credentialId}`;
  expect(outcome(await person.customers('GET', '/subjects'))).toBe(may.reads ? '200' : refused);
  expect(outcome(await person.customers('GET', `/subjects/${subject}`))).toBe(may.reads ? '200' : refused);
  expect(outcome(await person.customers('GET', `/subjects/${subject}/sessions`))).toBe(may.reads ? '200' : refused);
  expect(outcome(await offerBy(person, { app: shop.app.clientId }))).toBe(may.supports ? '201' : refused);
  expect(outcome(await offerBy(person, { subject }))).toBe(may.supports ? '201' : refused);
  expect(outcome(await person.customers('POST', `${credential}/suspend`, {}))).toBe(may.supports ? '200' : refused);
  expect(outcome(await person.customers('POST', `${credential}/resume`, {}))).toBe(may.supports ? '200' : refused);
  expect(outcome(await person.customers('DELETE', `/subjects/${subject}/sessions`))).toBe(
    may.supports ? '204' : refused,
  );
  expect(outcome(await person.customers('POST', `${credential}/revoke`, {}))).toBe(may.manages ? '200' : refused);
  expect(outcome(await person.customers('DELETE', `/subjects/${subject}`))).toBe(may.manages ? '204' : refused);
});

it('a person sees the customers of every app with the app of each, and an app sees its own without one', async () => {
  const [ofShop, ofKiosk] = [await claimed(shop), await claimed(kiosk)];
  const listed = await people.support.customers<{ items: SubjectSummary[] }>('GET', '/subjects?limit=200');
  const appOf = (subject: string) => listed.body.items.find((one) => one.subject === subject)?.app;
  expect([appOf(ofShop.subject), appOf(ofKiosk.subject)]).toEqual([shop.app.clientId, kiosk.app.clientId]);
  const only = await people.support.customers<{ items: SubjectSummary[] }>(
    'GET',
    `/subjects?app=${kiosk.app.clientId}`,
  );
  expect(new Set(only.body.items.map(({ app }) => app))).toEqual(new Set([kiosk.app.clientId]));
  const one = await people.support.customers<Subject>('GET', `/subjects/${ofKiosk.subject}`);
  expect(one.body).toMatchObject({ subject: ofKiosk.subject, app: kiosk.app.clientId, claimed: true });
  const own = await shop.call<Subject>('GET', `${shop.api}/credentials/subjects/${ofShop.subject}`);
  expect('app' in own.body).toBe(false);
  const others = await shop.call<Problem>('GET', `${shop.api}/credentials/subjects/${ofKiosk.subject}`);
  expect(outcome(others)).toBe('404 unknown_subject');
  const foreign = await shop.call<{ items: SubjectSummary[] }>(
    'GET',
    `${shop.api}/credentials/subjects?app=${kiosk.app.clientId}`,
  );
  expect(foreign.body.items).toEqual([]);
  const stranger = await HubUser.make(await stack.newOrganization(), ['owner']);
  expect(outcome(await stranger.customers('GET', `/subjects/${ofShop.subject}`))).toBe('404 unknown_subject');
});

it('an offer of a person is for an app that may make offers, and the app then sees the customer', async () => {
  const unable = await stack.newApp(org, 'unable', ['issued:read']);
  const elsewhere = await stack.newApp(await stack.newOrganization(), 'shop', customerScopes);
  const { subject } = await claimed(shop);
  for (const [body, expected] of [
    [{}, '422 invalid_request'],
    [{ app: unable.clientId }, '422 invalid_request'],
    [{ app: elsewhere.clientId }, '422 invalid_request'],
    [{ app: `app_${'a'.repeat(22)}` }, '422 invalid_request'],
    [{ app: 'x' }, '422 invalid_request'],
    [{ app: shop.app.clientId, subject }, '422 invalid_request'],
    [{ subject: randomUUID() }, '404 unknown_subject'],
    [{ app: shop.app.clientId, returnUrl: 'https://elsewhere.example/' }, '422 invalid_request'],
  ] as const)
    expect(outcome(await offerBy(people.support, body))).toBe(expected);
  const byApp = await shop.call<Problem>('POST', `${shop.api}/credentials/offers`, {
    json: { app: shop.app.clientId },
  });
  expect(outcome(byApp)).toBe('422 invalid_request');
  const key = { 'idempotency-key': randomUUID() };
  const made = await people.support.customers<Offer>('POST', '/offers', { app: shop.app.clientId }, key);
  const again = await people.support.customers<Offer>('POST', '/offers', { app: shop.app.clientId }, key);
  expect([made.status, again.body]).toEqual([201, made.body]);
  const seen = await shop.call<Subject>('GET', `${shop.api}/credentials/subjects/${made.body.subject}`);
  expect(seen.body.subject).toBe(made.body.subject);
  expect((await claim(org, tokenOf(made.body.claimUrl), new SoftwareAuthenticator())).status).toBe(200);
});

it('a person needs no proof of presence where apps need one', async () => {
  const strict = await stack.newOrganization();
  const app = await stack.newApp(strict, 'shop', customerScopes);
  await stack.operator('presence', 'set', strict, '--policy', 'required');
  const owner = await HubUser.make(strict, ['owner']);
  const client = new Client(stack, app);
  await eventually(async () => expect(outcome(await client.offer())).toBe('422 presence_required'));
  expect(outcome(await offerBy(owner, { app: app.clientId }))).toBe('201');
});

it.each<[string, (person: HubUser) => Promise<unknown>]>([
  ['loses the role', ({ id }) => people.owner.call('POST', `/users/${id}/roles`, { roles: ['auditor'] })],
  ['is deactivated', ({ id }) => people.owner.call('POST', `/users/${id}/deactivate`, {})],
  ['is removed', ({ id }) => people.owner.call('DELETE', `/users/${id}`)],
])('offers of a person who %s are withdrawn, those of the app stay', async (_, end) => {
  const person = await HubUser.make(org, ['support']);
  const known = await claimed(shop);
  const offers = [
    (await offerBy(person, { app: shop.app.clientId })).body,
    (await offerBy(person, { subject: known.subject })).body,
  ];
  const { body: ofApp } = await shop.offer();
  const open = async () => (await people.owner.call<{ items: OpenOffer[] }>('GET', '/offers?limit=200')).body.items;
  expect((await open()).filter(({ maker }) => maker.id === person.id)).toHaveLength(2);
  await end(person);
  await eventually(async () => expect(await Promise.all(offers.map(stateOf))).toEqual(['withdrawn', 'withdrawn']));
  await eventually(async () =>
    expect((await open()).filter(({ offerId }) => offers.some((offer) => offer.offerId === offerId))).toEqual([]),
  );
  expect(await stateOf(ofApp)).toBe('open');
});

it('a person reads the history of a customer page by page; apps, and people without the right, do not', async () => {
  const { subject, credentialId } = await claimed(shop);
  for (const action of ['suspend', 'resume', 'suspend', 'resume'])
    await people.admin.customers('POST', `/issued/${credentialId}/${action}`, {});
  interface Page {
    items: { seq: number; action: string; actor: { type: string; id?: string } }[];
    nextPageToken?: string;
  }
  const pages: Page[] = [];
  for (let token = ''; ;) {
    const query = `?limit=2${token === '' ? '' : `&next_page_token=${encodeURIComponent(token)}`}`;
    const { status, body } = await people.support.customers<Page>('GET', `/subjects/${subject}/history${query}`);
    expect(status).toBe(200);
    pages.push(body);
    if (!(token = body.nextPageToken ?? '')) break;
  }
  const items = pages.flatMap((page) => page.items);
  expect(items.map(({ seq }) => seq)).toEqual([...new Set(items.map(({ seq }) => seq))].sort((a, b) => b - a));
  const changes = items.map(({ action }) => action).filter((action) => !action.startsWith('subject.'));
  expect(changes).toEqual([
    ...['credential.resume', 'credential.suspend', 'credential.resume', 'credential.suspend'],
    ...['credential.claim', 'offer.create'],
  ]);
  expect(items.find(({ action }) => action === 'credential.claim')?.actor).toMatchObject({
    type: 'customer',
    id: subject,
  });
  const path = `/subjects/${subject}/history`;
  expect(outcome(await people.approver.customers('GET', path))).toBe('403 insufficient_scope');
  expect(outcome(await shop.call('GET', `${shop.api}/credentials${path}`))).toBe('403 insufficient_scope');
  expect(outcome(await people.support.customers('GET', `/subjects/${randomUUID()}/history`))).toBe(
    '404 unknown_subject',
  );
});

it('each action of a person is in the audit log as theirs, with the customer', async () => {
  const { credentialId } = await claimed(shop);
  await people.support.customers('POST', `/issued/${credentialId}/suspend`, { reason: 'lost_device' });
  const made = await offerBy(people.support, { app: shop.app.clientId });
  const { body } = await people.auditor.call<{
    items: { action: string; actor: object; targets: { type: string; id: string }[] }[];
  }>('GET', `/audit/events?limit=50&actor=${people.support.id}`);
  const of = (action: string) => body.items.find((entry) => entry.action === action);
  expect(of('credential.suspend')).toMatchObject({ actor: { type: 'person' } });
  expect(of('offer.create')?.targets).toEqual(
    expect.arrayContaining([
      expect.objectContaining({ type: 'offer', id: made.body.offerId }),
      expect.objectContaining({ type: 'app', id: shop.app.clientId }),
    ]),
  );
});

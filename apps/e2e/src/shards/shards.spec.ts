// Two shards in one deployment: each organization is served from its own, and an outage of one shard affects no
// organization of the other. Organizations move between them.
import { randomUUID } from 'node:crypto';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import {
  appendRecords,
  countPasskeys,
  listSubjects,
  shardedServices,
  type AuditRecord,
  type PublicEvent,
} from '@holdfast/contracts';
import { eventually } from '@holdfast/testing';
import { holdfast } from '../audit/command-line.fixture.ts';
import { CustomerBrowsers, redirectUris } from '../chaos/customer-browsers.fixture.ts';
import { PrivateStack } from '../chaos/private-stack.ts';
import { Client, requestToken } from '../clients/client.ts';
import { closeConnections, type Problem } from '../clients/http.ts';
import { customerScopes, stack } from '../clients/under-test.ts';
import { rowsOfAllTables } from '../stack/database.ts';
import { busClient, operatorActor, requestInfo } from '../stack/nats.ts';
import { newShortId } from '../stack/stack.ts';
import { testOrganizationMoves } from './organization-moves.ts';

const ownStack = new PrivateStack(join(stack.home, 'shards'), 'gateway=2');
ownStack.options = ['--shards', 'eu2'];

/** An organization with a shop, and with a program that reads its log and its events. */
interface Organization {
  org: string;
  shop: Client;
  reader: Client;
  browsers: CustomerBrowsers;
}

let onMain: Organization;
let onEu2: Organization;

async function newOrganization(shard: string): Promise<Organization> {
  const org = newShortId();
  await ownStack.operator('org', 'create', org, '--shard', shard);
  const app = await ownStack.newApp(org, 'shop', customerScopes, 'web', redirectUris);
  const reads = ['audit:read', 'audit:export', 'webhooks:manage'];
  const reader = new Client(ownStack, await ownStack.newApp(org, 'reader', reads, 'service'));
  return { org, shop: new Client(ownStack, app), reader, browsers: await CustomerBrowsers.of(ownStack, app) };
}

beforeAll(async () => {
  await ownStack.start();
  onMain = await newOrganization('main');
  onEu2 = await newOrganization('eu2');
});
afterAll(async () => {
  await ownStack.remove();
  closeConnections();
});

const eu2 = () => ownStack.launcher.shards!.eu2!;
/** The stack as seen by a program that uses the servers of the shard `eu2`. */
const asOnEu2 = () => ({ launcher: { ...ownStack.launcher, ...eu2() }, secrets: ownStack.secrets });

const typesOf = (events: PublicEvent[], subject: string) =>
  events.filter(({ data }) => data.subject === subject).map(({ type }) => type);

/** Whatever an organization does with one customer, from the offer to the erasure. Resolves to the customer's id. */
async function useEverything({ shop, reader, browsers }: Organization): Promise<string> {
  const { status, body: offer } = await shop.offer();
  expect(status).toBe(201);
  const { subject, credentialId } = offer;
  expect((await shop.all()).map((customer) => customer.subject)).toContain(subject);
  const devices = await browsers.claim(offer);
  await browsers.signIn(subject, devices);
  expect((await shop.get(subject)).body.credentials).toMatchObject([{ id: credentialId, status: 'issued' }]);
  expect((await shop.manage('suspend', credentialId)).status).toBe(200);
  await browsers.expectDenied(devices, 'suspended');
  expect((await shop.manage('resume', credentialId)).status).toBe(200);
  await browsers.signIn(subject, devices);
  await eventually(async () =>
    expect(typesOf(await reader.feed(), subject)).toEqual([
      'offer.created',
      'credential.issued',
      'credential.suspended',
      'credential.resumed',
    ]),
  );
  expect((await shop.erase(subject)).status).toBe(204);
  expect((await shop.get<Problem>(subject)).body.code).toBe('unknown_subject');
  // Every service of the shard, and auth, has confirmed it.
  await eventually(async () => expect(typesOf(await reader.feed(), subject)).toContain('subject.erased'));
  expect(browsers.errors).toEqual([]);
  return subject;
}

/** Exports the log with the command line, and verifies it with the key that the organization has pinned. */
async function verifyLog({ org, reader }: Organization): Promise<unknown> {
  const file = join(ownStack.home, `${org}.ndjson`);
  const { clientId, clientSecret } = reader.app;
  const address = ['--url', `${ownStack.baseUrl}/o/${org}`, '--client-id', clientId];
  const exported = await holdfast(['audit', 'export', ...address, '--out', file], {
    HOLDFAST_CLIENT_SECRET: clientSecret,
  });
  expect(exported.code).toBe(0);
  const { body } = await reader.call<{ keys: [string] }>('GET', `${reader.api}/admin/audit/keys`);
  const { output } = await holdfast(['audit', 'verify', file, '--key', body.keys[0], '--json']);
  return JSON.parse(output);
}

function newRecord(): AuditRecord {
  return {
    id: randomUUID(),
    occurredAt: new Date().toISOString(),
    action: 'subject.list',
    actor: { type: 'app', id: 'shop' },
    targets: [],
    outcome: { result: 'success' },
    request: requestInfo(),
  };
}

/** Whether a request is 503 and says when to try again. */
async function expectUnavailable({ shop }: Organization): Promise<void> {
  const { status, headers, body } = await shop.offer<Problem>();
  expect({ status, code: body.code }).toEqual({ status: 503, code: 'unavailable' });
  expect(headers['retry-after']).toMatch(/^\d+$/);
}

describe('an organization of either shard', () => {
  it.each(['main', 'eu2'])('on %s offers, issues, signs in, lists, reads its events and erases', async (shard) => {
    await useEverything(shard === 'main' ? onMain : onEu2);
  });

  it.each(['main', 'eu2'])('on %s has a log that its proofs verify', async (shard) => {
    expect(await verifyLog(shard === 'main' ? onMain : onEu2)).toMatchObject({ verified: true, findings: [] });
  });

  it('has its customers, log and events in the database of its shard only', async () => {
    const { shop } = onEu2;
    const { body } = await shop.offer();
    const tablesOf = async (launcher: typeof ownStack.launcher) =>
      new Set((await rowsOfAllTables({ launcher })).filter(({ text }) => text.includes(onEu2.org)).map((r) => r.table));
    const [ofMain, ofEu2] = [await tablesOf(ownStack.launcher), await tablesOf(asOnEu2().launcher)];
    const schemasOf = (tables: Set<string>) => new Set([...tables].map((name) => name.split('.')[0]));
    // A read model that is late on a busy machine raises a watermark, which the next read deletes.
    ofEu2.delete([...ofEu2].find((name) => name.startsWith('watermarks.')) ?? '');
    expect([...schemasOf(ofEu2)].sort()).toEqual(['audit', 'issuance', 'signals', 'subjects']);
    expect([...schemasOf(ofMain)].filter((schema) => schema !== 'auth')).toEqual(['directory']);
    expect(ofEu2).toContain('subjects.subject');
    expect((await shop.erase(body.subject)).status).toBe(204);
  });

  it('is shown to the operator with its shard', async () => {
    expect(await ownStack.operator('org', 'show', onEu2.org)).toMatchObject({ shard: 'eu2', passkeys: [] });
    const list = await ownStack.operator<{ shortId: string; shard: string }[]>('org', 'list');
    expect(list.find(({ shortId }) => shortId === onMain.org)?.shard).toBe('main');
    const { stderr } = await ownStack.printed('org', 'create', newShortId(), '--shard', 'us9');
    expect(stderr).toContain('There is no shard "us9"');
  });
});

describe('a request for an organization of another shard', () => {
  const refused = /is on the shard \S+, and this service belongs to/;

  it('is refused by the services of main, and leaves nothing there', async () => {
    const gateway = await busClient(ownStack, 'gateway', onEu2.org);
    await expect(gateway.request(listSubjects, { limit: 1 })).rejects.toThrow(refused);
    await gateway.close();
    const operator = await busClient(ownStack, 'operator', onEu2.org, operatorActor);
    await expect(operator.request(countPasskeys, {})).rejects.toThrow(refused);
    await operator.close();
  });

  it('is refused by the services of eu2', async () => {
    const gateway = await busClient(asOnEu2(), 'gateway', onMain.org);
    await expect(gateway.request(listSubjects, { limit: 1 })).rejects.toThrow(refused);
    await gateway.close();
  });

  it('is refused if only one record of several is of another shard', async () => {
    const gateway = await busClient(ownStack, 'gateway', onMain.org);
    const records = [onMain, onEu2].map(({ org }) => ({ org, record: newRecord() }));
    await expect(gateway.request(appendRecords, { records })).rejects.toThrow(refused);
    await gateway.close();
  });
});

describe('an outage of one shard', () => {
  afterEach(async () => {
    for (const name of ['postgres@eu2', 'nats@eu2', ...shardedServices, ...shardedServices.map((s) => `${s}@eu2`)])
      await ownStack.control('start', name);
  });

  it.each([
    ['the database', ['postgres@eu2']],
    ['the bus', ['nats@eu2']],
    ['every service', shardedServices.map((service) => `${service}@eu2`)],
  ])('of %s of eu2 does not affect organizations on main', async (_, stopped) => {
    for (const name of stopped) await ownStack.control('stop', name);
    await expectUnavailable(onEu2);
    await useEverything(onMain);
    await expectUnavailable(onEu2);
    // A token is recorded in the log of the organization: without it, there is none.
    expect((await requestToken(ownStack, onEu2.shop.app, 'offers:write')).status).toBe(503);
    expect((await requestToken(ownStack, onMain.shop.app, 'offers:write')).status).toBe(200);
    // Changes in directory go on, and their events wait for the shard.
    const late = await ownStack.newApp(onEu2.org, `late ${stopped[0]}`, customerScopes);

    for (const name of stopped) await ownStack.control('start', name);
    await eventually(() => useEverything(onEu2));
    await eventually(async () =>
      expect((await onEu2.reader.wholeLog()).flatMap(({ targets }) => targets.map(({ id }) => id))).toContain(
        late.clientId,
      ),
    );
  });

  it('of the services of main does not affect organizations on eu2', async () => {
    for (const name of shardedServices) await ownStack.control('stop', name);
    await expectUnavailable(onMain);
    await useEverything(onEu2);
  });

  it('lets the gateway start, which serves the other shard', async () => {
    await ownStack.control('stop', 'nats@eu2');
    await ownStack.control('stop', 'gateway');
    await ownStack.control('start', 'gateway');
    await useEverything(onMain);
    await expectUnavailable(onEu2);
    await ownStack.control('start', 'nats@eu2');
    await eventually(() => useEverything(onEu2));
  });
});

testOrganizationMoves(ownStack);

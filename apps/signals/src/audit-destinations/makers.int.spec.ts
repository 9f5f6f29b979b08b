// What was prepared ends with the right that prepared it (product §4): destinations of the audit log.
import { randomUUID } from 'node:crypto';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { gunzipSync } from 'node:zlib';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import {
  allOrganizations,
  deleteAuditDestination,
  destinationKindNames,
  destinationKinds,
  listEvents,
  pauseAuditDestination,
  rewindAuditDestination,
  updateAuditDestination,
  type Actor,
  type DirectoryEvent,
  type NewDestination,
} from '@holdfast/contracts';
import { eventBase, eventually, testContext } from '@holdfast/testing';
import { FailingDestinations } from '../failing-destinations/failing-destinations.js';
import { anApp, aPerson, lossesOf } from '../makers/lost-rights.fixture.js';
import { DestinationMakers } from './destination-makers.js';
import { contextOf, DestinationsStack, rights } from './destinations-stack.fixture.js';
import { Receiver, status } from './receiver.fixture.js';

const receiver = new Receiver();
const other = new Receiver();
let stack: DestinationsStack;
let compressed: Server;
const bodies: Buffer[] = [];
beforeAll(async () => {
  compressed = createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', () => {
      bodies.push(Buffer.concat(chunks));
      // More than any bound: the status alone says that the entries are stored.
      response.writeHead(request.headers['content-encoding'] === 'gzip' ? 200 : 400).end(Buffer.alloc(1_000_000));
    });
  });
  await new Promise<void>((resolve) => void compressed.listen(0, '127.0.0.1', resolve));
  await Promise.all([receiver.open(), other.open()]);
  stack = await DestinationsStack.start([receiver.origin, other.origin, originOf(compressed)]);
});
afterAll(async () => {
  await stack.stop();
  receiver.close();
  other.close();
  compressed.close();
});
beforeEach(() => rights.clear());

const originOf = (server: Server) => `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
const newOrg = () => `org-${randomUUID().slice(0, 8)}`;
const to = (org: string, more: object = {}): Omit<NewDestination, 'format'> =>
  ({ kind: 'https', after: 0, settings: { url: `${receiver.origin}/${org}` }, ...more }) as never;
const seqsAt = (org: string) =>
  receiver.at(`/${org}`).flatMap(({ body }) => (JSON.parse(body) as { seq: number }[]).map(({ seq }) => seq));
const apply = (org: string, event: Partial<DirectoryEvent>) =>
  stack.replicas[0]!.app.get(DestinationMakers, { strict: false }).apply([
    { ...eventBase(), org, ...event } as DirectoryEvent,
  ]);

describe('a destination of', () => {
  it.each(lossesOf('audit:read', 'admin'))(
    '%s is paused with a record, and goes on under who resumes it',
    async (_, newActor, eventOf) => {
      const org = newOrg();
      const actor = newActor();
      stack.append(org, 2);
      const { id, maker } = await stack.create(org, to(org), testContext({ org, actor }));
      expect(maker).toEqual({ type: actor.type, id: actor.id, ...(actor.name !== undefined && { name: actor.name }) });
      await stack.caughtUp(org, id);
      const event = eventOf(actor);
      await apply(org, event);
      expect(await stack.get(org, id)).toMatchObject({ state: 'paused', pausedBecause: 'maker' });
      const isRemoved = event.type === 'user.erasure_started';
      expect((await stack.get(org, id)).maker).toEqual(isRemoved ? { type: 'person' } : maker);
      expect(stack.audit.records.filter(({ targets }) => targets[0]?.id === id).at(-1)).toMatchObject({
        action: 'audit_destination.pause',
        actor: { type: 'system', id: 'signals' },
      });
      stack.append(org, 2);
      await eventually(async () => (await stack.get(org, id)).lag.entries === 2);
      expect(seqsAt(org)).toEqual([1, 2]);
      const successor = anApp();
      await stack.bus.request(pauseAuditDestination, { id, paused: false }, testContext({ org, actor: successor }));
      await stack.caughtUp(org, id);
      expect(seqsAt(org)).toEqual([1, 2, 3, 4]);
      expect(await stack.get(org, id)).toMatchObject({ state: 'active', maker: { id: successor.id } });
      expect((await stack.get(org, id)).pausedBecause).toBeUndefined();
    },
  );

  it.each([
    ['an app', anApp],
    ['a person', aPerson],
  ])('%s that has lost the right gets nothing, although no event has arrived', async (_, newActor) => {
    const org = newOrg();
    const actor = newActor();
    const { id } = await stack.create(org, to(org), testContext({ org, actor }));
    rights.set(actor.id, ['audit:read']);
    await new Promise((resolve) => setTimeout(resolve, 300));
    stack.append(org, 3);
    await eventually(async () => (await stack.get(org, id)).pausedBecause === 'maker');
    expect(seqsAt(org)).toEqual([]);
  });

  it('an app gets nothing while directory does not say what the app may do, and everything afterwards', async () => {
    const org = newOrg();
    const actor = anApp();
    const { id } = await stack.create(org, to(org), testContext({ org, actor }));
    rights.set(actor.id, 'down');
    await new Promise((resolve) => setTimeout(resolve, 300));
    stack.append(org, 3);
    await eventually(async () => (await stack.get(org, id)).lag.entries === 3);
    expect([seqsAt(org), (await stack.get(org, id)).state]).toEqual([[], 'active']);
    rights.clear();
    await stack.caughtUp(org, id);
    expect(seqsAt(org)).toEqual([1, 2, 3]);
  });

  it('the operator is sent to, whatever apps lose, until an app changes where it is sent', async () => {
    const org = newOrg();
    const actor = anApp();
    const operator: Actor = { type: 'operator', id: 'operator' };
    stack.append(org, 1);
    const { id } = await stack.create(org, to(org), testContext({ org, actor: operator }));
    await apply(org, { type: 'app.deleted', app: actor.id, operations: [] });
    await stack.caughtUp(org, id);
    const change = (changes: object) =>
      stack.bus.request(updateAuditDestination, { id, changes }, testContext({ org, actor }));
    await change({ description: 'Of the operator' });
    expect((await stack.get(org, id)).maker).toEqual(operator);
    await change({ settings: { url: `${other.origin}/${org}` } });
    expect((await stack.get(org, id)).maker).toMatchObject({ type: 'app', id: actor.id });
    await apply(org, { type: 'app.updated', app: actor.id, operations: [] });
    expect((await stack.get(org, id)).pausedBecause).toBe('maker');
  });
});

describe('the stored credentials', () => {
  const given: Record<string, [object, object]> = {
    splunk_hec: [{}, { token: 'splunk-token' }],
    elasticsearch: [{ index: 'audit' }, { username: 'elastic', password: 'elastic-password' }],
    datadog: [{}, { apiKey: 'datadog-key' }],
    otlp_http: [{}, { headers: { authorization: 'otlp-secret' } }],
  };
  const kinds = destinationKindNames.filter((kind) => destinationKinds[kind].credentials !== undefined);

  it.each(kinds)('of %s never go to another host or port, and go to another path of the same', async (kind) => {
    const org = newOrg();
    const [settings, credentials] = given[kind]!;
    const at = (origin: string) => ({ ...settings, url: `${origin}/${org}` });
    const created = { kind, after: 0, settings: at(receiver.origin), credentials };
    const { id } = await stack.create(org, created);
    const change = (changes: object) => stack.bus.request(updateAuditDestination, { id, changes }, contextOf(org));
    await expect(change({ settings: at(other.origin) })).rejects.toMatchObject({
      code: 'invalid_request',
      status: 422,
      errors: [{ pointer: '#/credentials', detail: expect.stringContaining('must be given again') }],
    });
    await change({ settings: at(receiver.origin) });
    await change({ settings: at(other.origin), credentials });
    expect(other.received.filter(({ path }) => path.startsWith(`/${org}`))).toEqual([]);
    await stack.bus.request(deleteAuditDestination, { id }, contextOf(org));
  });
});

describe('a destination of all organizations', () => {
  it('begins and is rewound within each log only: beyond the end of one, entries would never be sent', async () => {
    const orgs = [newOrg(), newOrg()];
    stack.append(orgs[0]!, 3);
    stack.append(orgs[1]!, 5);
    const operator = contextOf(allOrganizations);
    const beyond = { code: 'invalid_request', status: 422, errors: [{ pointer: '#/after' }] };
    await expect(stack.create(allOrganizations, to('all', { after: 99_999_999 }))).rejects.toMatchObject(beyond);
    const { id } = await stack.create(allOrganizations, to('all', { after: 0 }));
    for (const after of [99_999_999, 5])
      await expect(stack.bus.request(rewindAuditDestination, { id, after }, operator)).rejects.toMatchObject(beyond);
    await stack.caughtUp(allOrganizations, id);
    const sent = (await stack.get(allOrganizations, id)).sent;
    await stack.bus.request(rewindAuditDestination, { id, after: 0 }, operator);
    await eventually(async () => (await stack.get(allOrganizations, id)).sent === 2 * sent);
    await stack.bus.request(deleteAuditDestination, { id }, operator);
  });
});

describe('a destination', () => {
  it('with a filter gets matching entries only, and is not behind because of the others', async () => {
    const org = newOrg();
    const filter = { actions: ['app.*', 'credential.suspend'], outcomes: ['success'] };
    const { id } = await stack.create(org, to(org, { filter }));
    stack.append(org, 2, { action: 'user.read' });
    stack.append(org, 1);
    stack.append(org, 1, { outcome: { result: 'denied' } });
    stack.append(org, 1, { action: 'app.secret.create' });
    stack.append(org, 1, { action: 'user.read' });
    expect(await stack.caughtUp(org, id)).toMatchObject({ after: 6, sent: 2, filter });
    expect(seqsAt(org)).toEqual([3, 5]);
    await stack.bus.request(updateAuditDestination, { id, changes: { filter: null } }, contextOf(org));
    stack.append(org, 1, { action: 'user.read' });
    await stack.caughtUp(org, id);
    expect(seqsAt(org)).toEqual([3, 5, 7]);
  });

  it('that fails for an hour is in the feed and in the log of its organization, once for each failure', async () => {
    const org = newOrg();
    receiver.answer(`/${org}`, status(503));
    stack.append(org, 1);
    const { id } = await stack.create(org, to(org));
    await eventually(async () => (await stack.get(org, id)).lastError !== undefined);
    const failing = () => stack.replicas[0]!.app.get(FailingDestinations, { strict: false }).announce();
    const events = () => stack.bus.request(listEvents, { limit: 10 }, contextOf(org));
    const records = () =>
      stack.audit.records.filter(({ action, targets }) => action === 'audit_destination.fail' && targets[0]?.id === id);
    await failing();
    expect([(await events()).items, records()]).toEqual([[], []]);
    stack.clock.advance(3_600_001);
    await failing();
    await failing();
    expect((await events()).items).toMatchObject([{ type: 'audit.destination.failing', data: { destination: id } }]);
    expect(records()).toMatchObject([{ outcome: { result: 'failure' }, actor: { type: 'system' } }]);
  });

  it('that asks for gzip gets compressed bodies, and a long body of its response is a success', async () => {
    const org = newOrg();
    stack.append(org, 20);
    const settings = { url: `${originOf(compressed)}/${org}`, compression: 'gzip' };
    const { id } = await stack.create(org, to(org, { settings }));
    expect(await stack.caughtUp(org, id)).toMatchObject({ sent: 20, rejected: 0 });
    const entries = bodies.flatMap((body) => JSON.parse(gunzipSync(body).toString()) as { organization: string }[]);
    expect(entries.filter(({ organization }) => organization === org)).toHaveLength(20);
  });
});

import { createHmac, randomUUID } from 'node:crypto';
import type { ServerResponse } from 'node:http';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { register } from 'prom-client';
import {
  allOrganizations,
  createAuditDestination,
  deleteAuditDestination,
  listAuditDestinations,
  maxAuditDestinations,
  pauseAuditDestination,
  rewindAuditDestination,
  rotateDestinationSecret,
  testAuditDestination,
  updateAuditDestination,
  type NewDestination,
} from '@holdfast/contracts';
import { Database, statement } from '@holdfast/data';
import { eventBase, eventually, testContext } from '@holdfast/testing';
import { Suspensions } from '../sending/suspensions.js';
import { LogEnds } from './delivery/log-ends.js';
import { contextOf, DestinationsStack } from './destinations-stack.fixture.js';
import { closed, hanging, Receiver, status, type ReceivedRequest, type Respond } from './receiver.fixture.js';

const receiver = new Receiver();
let stack: DestinationsStack;
beforeAll(async () => {
  await receiver.open();
  stack = await DestinationsStack.start([receiver.origin]);
});
afterAll(async () => {
  await stack.stop();
  receiver.close();
});

const newOrg = () => `org-${randomUUID().slice(0, 8)}`;
const httpsAt = (path: string, changes: object = {}): Omit<NewDestination, 'format'> =>
  ({ kind: 'https', settings: { url: receiver.origin + path, encoding: 'ndjson' }, ...changes }) as never;
const entriesOf = ({ body }: ReceivedRequest) =>
  body
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line) as { organization: string; seq: number; id: string });
const seqsAt = (path: string) => receiver.at(path).flatMap((request) => entriesOf(request).map(({ seq }) => seq));
const from = (first: number, count: number) => Array.from({ length: count }, (_, i) => first + i);

/** The verification of Standard Webhooks 1.0 as a receiver does it. */
function isSignedWith({ headers, body }: ReceivedRequest, secret: string): boolean {
  const key = Buffer.from(secret.slice('whsec_'.length), 'base64');
  const signed = `${String(headers['webhook-id'])}.${String(headers['webhook-timestamp'])}.${body}`;
  const expected = `v1,${createHmac('sha256', key).update(signed).digest('base64')}`;
  return String(headers['webhook-signature']).split(' ').includes(expected);
}

describe('a destination', () => {
  it('gets the log from its place on and then each new entry, once, in order and signed', async () => {
    const org = newOrg();
    stack.append(org, 450);
    const { id, secret } = await stack.create(org, httpsAt(`/${org}`, { after: 40 }));
    await stack.caughtUp(org, id);
    for (let i = 0; i < 5; i += 1) stack.append(org, 3);
    const shown = await stack.caughtUp(org, id);
    expect(seqsAt(`/${org}`)).toEqual(from(41, 425));
    expect(shown).toMatchObject({
      state: 'active',
      after: 465,
      sent: 425,
      rejected: 0,
      lag: { entries: 0, seconds: 0 },
    });
    for (const request of receiver.at(`/${org}`)) {
      expect(isSignedWith(request, secret!)).toBe(true);
      expect(isSignedWith(request, 'whsec_AAAA')).toBe(false);
      expect(entriesOf(request).every(({ organization }) => organization === org)).toBe(true);
    }
    expect(JSON.stringify(shown)).not.toContain('whsec_');
  });

  it('without a place gets what is appended from now on, also to a log that has no entry yet', async () => {
    const [empty, filled] = [newOrg(), newOrg()];
    stack.append(filled, 7);
    const first = await stack.create(empty, httpsAt(`/${empty}`));
    const second = await stack.create(filled, httpsAt(`/${filled}`));
    stack.append(empty, 2);
    stack.append(filled, 2);
    await Promise.all([stack.caughtUp(empty, first.id), stack.caughtUp(filled, second.id)]);
    expect(seqsAt(`/${empty}`)).toEqual([1, 2]);
    expect(seqsAt(`/${filled}`)).toEqual([8, 9]);
  });

  it('gets CloudEvents in a batch, where it wants them', async () => {
    const org = newOrg();
    const [event] = stack.append(org, 1);
    const settings = { url: `${receiver.origin}/${org}`, encoding: 'cloudevents' };
    const { id } = await stack.create(org, httpsAt('', { settings, after: 0 }));
    await stack.caughtUp(org, id);
    const [{ headers, body } = { headers: {}, body: '' }] = receiver.at(`/${org}`);
    expect(headers['content-type']).toBe('application/cloudevents-batch+json');
    expect(JSON.parse(body)).toEqual([
      {
        specversion: '1.0',
        id: event!.id,
        source: `http://localhost:3000/o/${org}`,
        type: 'audit.credential.suspend',
        time: event!.occurredAt,
        sequence: '000000000000001',
        datacontenttype: 'application/json',
        data: { organization: org, ...event },
      },
    ]);
  });

  it.each<[string, Respond]>([
    ['throttling', status(429, '', { 'retry-after': '120' })],
    ['an error of the server', status(503)],
    ['a redirect', status(302, '', { location: '/elsewhere' })],
    ['a closed connection', closed],
  ])('misses nothing and gets nothing twice out of order after %s', async (_, failure) => {
    const org = newOrg();
    receiver.answer(`/${org}`, status(200), failure, failure, status(200));
    stack.append(org, 250);
    const { id } = await stack.create(org, httpsAt(`/${org}`, { after: 0 }));
    const failed = await stack.retryAfterFailure(org, id);
    expect(failed.lastError!.detail).toMatch(/^the (receiver|connection)/);
    expect(failed.lastError!.detail).not.toContain(receiver.origin);
    await stack.retryAfterFailure(org, id, 2);
    await stack.caughtUp(org, id);
    // What came before the failure is not sent again; what failed was received each time.
    const bodies = receiver.at(`/${org}`).map((request) => entriesOf(request).map(({ seq }) => seq));
    expect(bodies).toEqual([from(1, 200), from(201, 50), from(201, 50), from(201, 50)]);
    const ids = receiver.at(`/${org}`).map(({ headers }) => headers['webhook-id']);
    expect(new Set(ids.slice(1)).size).toBe(1);
    expect(await stack.get(org, id)).toEqual(expect.not.objectContaining({ lastError: expect.anything() }));
  });

  it('that asks for a pause gets it', async () => {
    const org = newOrg();
    receiver.answer(`/${org}`, status(429, '', { 'retry-after': '120' }), status(200));
    stack.append(org, 1);
    const { id } = await stack.create(org, httpsAt(`/${org}`, { after: 0 }));
    const { lastError } = await eventually(async () => {
      const found = await stack.get(org, id);
      return found.lastError !== undefined && found;
    });
    expect(new Date(lastError!.retryAt!).getTime() - new Date(lastError!.at).getTime()).toBeGreaterThanOrEqual(120_000);
  });

  it('that finds a request too large gets fewer entries in each', async () => {
    const org = newOrg();
    const respond: Respond = (request, response) =>
      void response.writeHead(entriesOf(request).length > 30 ? 413 : 200).end();
    receiver.answer(`/${org}`, respond);
    stack.append(org, 100);
    const { id } = await stack.create(org, httpsAt(`/${org}`, { after: 0 }));
    await stack.caughtUp(org, id);
    const accepted = receiver.at(`/${org}`).filter((request) => entriesOf(request).length <= 30);
    expect(accepted.flatMap((request) => entriesOf(request).map(({ seq }) => seq))).toEqual(from(1, 100));
  });

  it('that hangs delays no other, and destinations that hang leave slots to the others', async () => {
    const dead = await Promise.all(
      Array.from({ length: 12 }, async () => {
        const org = newOrg();
        receiver.answer(`/${org}`, hanging);
        stack.append(org, 1);
        return { org, id: (await stack.create(org, httpsAt(`/${org}`, { after: 0 }))).id };
      }),
    );
    await eventually(() => dead.every(({ org }) => receiver.at(`/${org}`).length > 0));
    const healthy = newOrg();
    stack.append(healthy, 300);
    const { id } = await stack.create(healthy, httpsAt(`/${healthy}`, { after: 0 }));
    await stack.caughtUp(healthy, id);
    // None of those that hang has ended in the meantime.
    expect(await Promise.all(dead.map(async (one) => (await stack.get(one.org, one.id)).lastError))).toEqual(
      dead.map(() => undefined),
    );
    for (const one of dead) await stack.bus.request(deleteAuditDestination, { id: one.id }, contextOf(one.org));
  });

  it('is paused, resumed, rewound, changed and deleted, each with one record', async () => {
    const org = newOrg();
    stack.append(org, 3);
    const { id } = await stack.create(org, httpsAt(`/${org}`, { after: 0 }));
    await stack.caughtUp(org, id);
    const context = () => contextOf(org);
    await stack.bus.request(pauseAuditDestination, { id, paused: true }, context());
    const again = await stack.bus.request(pauseAuditDestination, { id, paused: true }, context());
    expect(again).toMatchObject({ changed: false, destination: { state: 'paused' } });
    stack.append(org, 2);
    await eventually(async () => (await stack.get(org, id)).lag.entries === 2);
    expect(seqsAt(`/${org}`)).toEqual([1, 2, 3]);
    await stack.bus.request(pauseAuditDestination, { id, paused: false }, context());
    await stack.caughtUp(org, id);
    await stack.bus.request(rewindAuditDestination, { id, after: 3 }, context());
    await eventually(() => expect(seqsAt(`/${org}`)).toEqual([1, 2, 3, 4, 5, 4, 5]));
    const beyond = stack.bus.request(rewindAuditDestination, { id, after: 6 }, context());
    await expect(beyond).rejects.toMatchObject({
      code: 'invalid_request',
      status: 422,
      errors: [{ pointer: '#/after' }],
    });
    const settings = { url: `${receiver.origin}/${org}-moved`, encoding: 'ndjson' };
    await stack.bus.request(updateAuditDestination, { id, changes: { settings } }, context());
    stack.append(org, 1);
    await stack.caughtUp(org, id);
    expect(seqsAt(`/${org}-moved`)).toEqual([6]);
    await stack.bus.request(deleteAuditDestination, { id }, context());
    await expect(stack.get(org, id)).rejects.toMatchObject({ code: 'unknown_destination' });
    const records = stack.audit.records.filter(({ targets }) => targets[0]?.id === id);
    expect(records.map(({ action }) => action.replace('audit_destination.', ''))).toEqual([
      'create',
      'pause',
      'resume',
      'rewind',
      'update',
      'delete',
    ]);
    expect(JSON.stringify(records)).not.toContain('whsec_');
  });

  it('has two secrets for a day after a rotation', async () => {
    const org = newOrg();
    const { id, secret: first } = await stack.create(org, httpsAt(`/${org}`));
    const { secret: second } = await stack.bus.request(rotateDestinationSecret, { id }, contextOf(org));
    stack.append(org, 1);
    await stack.caughtUp(org, id);
    const signedWith = () => [first!, second].map((secret) => isSignedWith(receiver.at(`/${org}`).at(-1)!, secret));
    expect(signedWith()).toEqual([true, true]);
    stack.clock.advance(86_400_001);
    stack.append(org, 1);
    await stack.caughtUp(org, id);
    expect(signedWith()).toEqual([false, true]);
  });

  it('is tested with an entry that is not of the log, and says why it failed', async () => {
    const org = newOrg();
    const { id } = await stack.create(org, httpsAt(`/${org}`));
    const test = () => stack.bus.request(testAuditDestination, { id }, contextOf(org));
    await expect(test()).resolves.toEqual({ delivered: true });
    expect(entriesOf(receiver.at(`/${org}`)[0]!)).toMatchObject([{ seq: 0, action: 'audit_destination.test' }]);
    receiver.answer(`/${org}`, status(403, 'internal secret of the receiver'));
    await expect(test()).resolves.toEqual({
      delivered: false,
      detail: expect.stringMatching(/^the receiver responded with status 403: it refuses the credentials/),
    });
    expect((await stack.get(org, id)).after).toBe(0);
  });

  it.each([
    ['deleted', deleteAuditDestination, {}],
    ['rewound', rewindAuditDestination, { after: 0 }],
  ] as const)('is %s while a sender changes its delivery, and neither fails', async (_, contract, values) => {
    const org = newOrg();
    stack.append(org, 3);
    const { id } = await stack.create(org, httpsAt(`/${org}`));
    const database = await Database.connect({ url: stack.tables.url(), pool: 1, applicationName: 'sender' });
    let changing: Promise<unknown> | undefined;
    await database.transaction(async (sql) => {
      await sql.rows(statement('test_patience', 'SET LOCAL idle_in_transaction_session_timeout = 0'));
      await sql.rows(
        statement('test_claim', 'UPDATE signals.audit_delivery SET due_at = due_at WHERE destination = $1'),
        [id],
      );
      changing = stack.bus.request(contract, { id, ...values }, contextOf(org));
      const waiting = `SELECT FROM pg_stat_activity
        WHERE wait_event_type = 'Lock' AND datname = current_database() AND query LIKE '%audit_delivery%'`;
      await eventually(async () => expect(await stack.tables.query(waiting)).not.toEqual([]));
      await sql.rows(statement('test_sent', 'UPDATE signals.audit_destination SET sent = sent + 1 WHERE id = $1'), [
        id,
      ]);
    });
    await changing;
    await database.close();
  });

  it('is unknown to another organization', async () => {
    const { id } = await stack.create(newOrg(), httpsAt('/x'));
    const other = newOrg();
    const unknown = { code: 'unknown_destination' };
    await expect(stack.get(other, id)).rejects.toMatchObject(unknown);
    await expect(stack.bus.request(deleteAuditDestination, { id }, contextOf(other))).rejects.toMatchObject(unknown);
    await expect(stack.bus.request(testAuditDestination, { id }, contextOf(other))).rejects.toMatchObject(unknown);
    expect(await stack.bus.request(listAuditDestinations, {}, contextOf(other))).toEqual({ items: [] });
  });

  it('is created once for an Idempotency-Key, also with its secret', async () => {
    const [org, idempotencyKey] = [newOrg(), randomUUID()];
    const destination = { format: 'native', ...httpsAt('/once') } as NewDestination;
    const create = () =>
      stack.bus.request(createAuditDestination, { destination, idempotencyKey }, testContext({ org }));
    const [first, second] = [await create(), await create()];
    expect(second).toEqual({ ...first, replayed: {} });
    expect((await stack.bus.request(listAuditDestinations, {}, contextOf(org))).items).toHaveLength(1);
  });

  it('is one of ten at most, although more are requested at once', async () => {
    const org = newOrg();
    const results = await Promise.allSettled(from(0, 14).map(() => stack.create(org, httpsAt('/y'))));
    expect(results.filter(({ status: s }) => s === 'fulfilled')).toHaveLength(maxAuditDestinations);
    for (const result of results)
      if (result.status === 'rejected') expect(result.reason).toMatchObject({ code: 'limit_reached' });
  });

  describe('of an organization that is suspended', () => {
    const suspensions = () => stack.replicas[0]!.app.get(Suspensions, { strict: false });
    const apply = (org: string, action: 'suspend' | 'resume', version: number) => {
      const audit = { action: `organization.${action}` };
      return suspensions().apply([{ ...eventBase(), org, version, type: 'organization.updated', audit }] as never);
    };

    it('gets nothing until it is resumed', async () => {
      const org = newOrg();
      stack.append(org, 1);
      const { id } = await stack.create(org, httpsAt(`/${org}`, { after: 0 }));
      await stack.caughtUp(org, id);
      await apply(org, 'suspend', 5);
      // An earlier event that arrives again changes nothing.
      await apply(org, 'resume', 4);
      stack.append(org, 1);
      await eventually(async () => (await stack.get(org, id)).lag.entries === 1);
      expect((await stack.get(org, id)).state).toBe('suspended');
      await apply(org, 'resume', 6);
      await stack.caughtUp(org, id);
      expect(seqsAt(`/${org}`)).toEqual([1, 2]);
    });

    it('gets nothing until it is resumed when the operator has created it meanwhile', async () => {
      const org = newOrg();
      await apply(org, 'suspend', 5);
      stack.append(org, 1);
      const { id, state } = await stack.create(org, httpsAt(`/${org}`, { after: 0 }));
      expect(state).toBe('suspended');
      await apply(org, 'resume', 4);
      expect((await stack.get(org, id)).state).toBe('suspended');
      await apply(org, 'resume', 6);
      await stack.caughtUp(org, id);
      expect(seqsAt(`/${org}`)).toEqual([1]);
    });

    it('is suspended when both happen at the same time', async () => {
      const orgs = from(0, 20).map(newOrg);
      const states = await Promise.all(
        orgs.map(async (org) => {
          const [{ id }] = await Promise.all([stack.create(org, httpsAt(`/${org}`)), apply(org, 'suspend', 1)]);
          return (await stack.get(org, id)).state;
        }),
      );
      expect(states).toEqual(orgs.map(() => 'suspended'));
    });
  });
});

describe('two replicas', () => {
  it('send each log in order without a duplicate', async () => {
    await stack.addReplica();
    const orgs = from(0, 6).map(newOrg);
    const ids = await Promise.all(orgs.map(async (org) => (await stack.create(org, httpsAt(`/${org}`))).id));
    for (let i = 0; i < 20; i += 1) for (const org of orgs) stack.append(org, 7);
    for (const [i, org] of orgs.entries()) {
      await stack.caughtUp(org, ids[i]!);
      expect(seqsAt(`/${org}`)).toEqual(from(1, 140));
    }
  });

  it('of which one lost its lease while it sent: it moves the place no more', async () => {
    const org = newOrg();
    const waiting: ServerResponse[] = [];
    receiver.answer(`/${org}`, (_, response) => void waiting.push(response), status(200));
    stack.append(org, 3);
    const { id } = await stack.create(org, httpsAt(`/${org}`, { after: 0 }));
    await eventually(() => waiting.length === 1);
    // As if the replica had been paused for longer than the lease, and meanwhile somebody has rewound.
    await stack.tables.query(`UPDATE signals.audit_delivery SET leased_until = now() - interval '1 s' WHERE org = $1`, [
      org,
    ]);
    await eventually(() => receiver.at(`/${org}`).length === 2);
    await stack.caughtUp(org, id);
    await stack.bus.request(pauseAuditDestination, { id, paused: true }, contextOf(org));
    await stack.bus.request(rewindAuditDestination, { id, after: 1 }, contextOf(org));
    const before = await stack.get(org, id);
    waiting[0]!.writeHead(200).end();
    stack.append(org, 1);
    await eventually(async () => (await stack.get(org, id)).lag.entries === 3);
    expect(await stack.get(org, id)).toMatchObject({ after: 1, sent: before.sent });
    await stack.bus.request(pauseAuditDestination, { id, paused: false }, contextOf(org));
    await stack.caughtUp(org, id);
    expect(seqsAt(`/${org}`)).toEqual([1, 2, 3, 1, 2, 3, 2, 3, 4]);
  });
});

describe('the destination of all organizations', () => {
  it('gets the log of each in order, also of one that is created later, and only the operator sees it', async () => {
    const [early, late] = [newOrg(), newOrg()];
    stack.append(early, 5);
    const { id } = await stack.create(allOrganizations, httpsAt('/all', { after: 0 }));
    stack.append(late, 3);
    await stack.caughtUp(allOrganizations, id);
    const seqsOf = (org: string) =>
      receiver
        .at('/all')
        .flatMap(entriesOf)
        .filter(({ organization }) => organization === org)
        .map(({ seq }) => seq);
    await eventually(() => expect([seqsOf(early), seqsOf(late)]).toEqual([from(1, 5), from(1, 3)]));
    await expect(stack.get(early, id)).rejects.toMatchObject({ code: 'unknown_destination' });
    await stack.bus.request(deleteAuditDestination, { id }, contextOf(allOrganizations));
  });
});

it('a destination that is behind is in the metrics, and one of the operator with its id', async () => {
  const orgs = [newOrg(), newOrg()];
  receiver.answer('/refusing', status(500));
  for (const org of orgs) stack.append(org, 2);
  const own = await Promise.all(orgs.map((org) => stack.create(org, httpsAt('/refusing', { after: 0 }))));
  const { id } = await stack.create(allOrganizations, httpsAt('/refusing', { after: 0 }));
  await eventually(async () => (await stack.get(allOrganizations, id)).lastError !== undefined);
  for (const [i, org] of orgs.entries())
    await eventually(async () => (await stack.get(org, own[i]!.id)).lastError !== undefined);
  stack.clock.advance(2_000_000);
  await stack.replicas[0]!.app.get(LogEnds, { strict: false }).sweep();
  const seconds = await register.getSingleMetricAsString('holdfast_audit_destination_lag_seconds');
  for (const destination of [id, 'organizations']) {
    const [, value] = new RegExp(`kind="https",destination="${destination}"} (\\d+)`).exec(seconds) ?? [];
    expect(Number(value)).toBeGreaterThan(900);
  }
  for (const each of own) expect(seconds).not.toContain(each.id);
  const failing = await register.getSingleMetricAsString('holdfast_audit_destinations_failing');
  expect(failing).toContain(`destination="${id}"} 1`);
  await stack.bus.request(deleteAuditDestination, { id }, contextOf(allOrganizations));
});

describe('an address that must not be called', () => {
  it.each([
    ['this machine', 'https://127.0.0.1/x'],
    ['the metadata service', 'https://169.254.169.254/latest'],
    ['a private network', 'https://10.0.0.8/x'],
    ['IPv6 of this machine', 'https://[::1]/x'],
    ['another form of 127.0.0.1', 'https://2130706433/x'],
    ['a name inside of a network', 'https://siem.internal/x'],
    ['plain http', 'http://siem.example/x'],
    ['another port', 'https://siem.example:22/x'],
  ])('is refused at the creation and at a change: %s', async (_, url) => {
    const org = newOrg();
    const refused = { code: 'invalid_request', errors: [{ pointer: '#/settings/url' }] };
    await expect(stack.create(org, httpsAt('', { settings: { url } }))).rejects.toMatchObject(refused);
    const { id } = await stack.create(org, httpsAt('/z'));
    const change = stack.bus.request(updateAuditDestination, { id, changes: { settings: { url } } }, contextOf(org));
    await expect(change).rejects.toMatchObject(refused);
  });

  it('is refused at each attempt, when a name leads to it', async () => {
    const org = newOrg();
    stack.append(org, 1);
    const { id } = await stack.create(org, httpsAt(`/${org}`, { after: 0 }));
    await stack.caughtUp(org, id);
    // As if it had been stored by an earlier version with other rules.
    await stack.tables.query(`UPDATE signals.audit_destination SET settings = $2 WHERE id = $1`, [
      id,
      JSON.stringify({ url: 'https://127.0.0.1/x', encoding: 'ndjson' }),
    ]);
    stack.append(org, 1);
    const failed = await stack.retryAfterFailure(org, id);
    expect(failed.lastError!.detail).toMatch(/^the address of the receiver must not be called/);
  });
});

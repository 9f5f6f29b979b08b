import { randomBytes } from 'node:crypto';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { jetstreamManager, type StoredMsg } from '@nats-io/jetstream';
import type { AuditEvent, RequestContext } from '@holdfast/contracts';
import { Bus, declareStreams } from '@holdfast/messaging';
import { systemClock } from '@holdfast/platform';
import type { Shutdown } from '@holdfast/service';
import { eventually, testContext, type TestDatabase } from '@holdfast/testing';
import {
  auditDatabase,
  auditKeys,
  customerTarget,
  erasureOf,
  recordOf,
  replicaOf,
  startAuditBus,
  tamperWith,
} from '../audit.fixture.js';
import type { OperatorRecords } from '../intake/operator-records.js';
import { EntryStream, isConflict } from './entry-stream.js';
import { PublishedLogs } from './published-logs.js';
import { EntryPublisher } from './publisher.js';
import { ReaderConsumers } from './reader-consumers.js';
import { Readers } from './readers.js';

type Replica = Awaited<ReturnType<typeof replicaOf>>;

const newId = () => `reader-${randomBytes(8).toString('hex')}`;
const publicKey = `U${'A'.repeat(55)}`;
const ofOrg = (org: string): RequestContext => testContext({ org });
const range = (first: number, last: number) => Array.from({ length: last - first + 1 }, (_, i) => first + i);

let stack: Awaited<ReturnType<typeof startAuditBus>>;
let tables: TestDatabase;
let replica: Replica;
let entries: EntryStream;
let bus: Bus;
let run = 0;
let org: string;
beforeAll(async () => {
  [stack, tables] = await Promise.all([startAuditBus(), auditDatabase()]);
  replica = await replicaOf(tables, auditKeys());
  bus = new Bus(await stack.connectAs('audit'));
  entries = new EntryStream(bus);
});
afterAll(async () => {
  await bus.connection.close();
  await replica.stop();
  await tables.drop();
  await stack.stop();
});
beforeEach(() => void (org = `org-${(run += 1)}`));

const shutdown = { before: () => undefined } as unknown as Shutdown;
/** A replica that publishes when the test asks it to, also beside another one. */
function publisherOf(stream = entries, change: (logs: PublishedLogs) => void = () => undefined): EntryPublisher {
  const { database } = replica;
  const logs = new PublishedLogs(database);
  logs.takeLease = () => Promise.resolve(true);
  change(logs);
  return new EntryPublisher(bus, database, stream, logs, new ReaderConsumers(database, stream), shutdown);
}
const recorded: string[] = [];
function readers(): Readers {
  const { database } = replica;
  const operator = {
    record: (_: RequestContext, action: string) => Promise.resolve(void recorded.push(action)),
  } as unknown as OperatorRecords;
  const logs = new PublishedLogs(database);
  return new Readers(database, entries, logs, new ReaderConsumers(database, entries), operator, systemClock);
}
const append = (count: number, to = org) =>
  replica.log.append(Array.from({ length: count }, () => ({ org: to, record: recordOf() })));
/** Messages that no publisher has made. */
const messages = (...seqs: number[]) => seqs.map((seq) => ({ org, event: { ...(recordOf() as AuditEvent), seq } }));
const read = async (after?: number, owner = org) => {
  const id = newId();
  return readers().create({ id, publicKey, after }, ofOrg(owner === '*' ? '' : owner));
};
/** What the stream has of a log, in its order. */
async function held(of = org): Promise<number[]> {
  const seqs: number[] = [];
  for (let from = 1; ;) {
    const next = await entries.nextOf(of, from);
    if (!next) return seqs;
    seqs.push(next.seq);
    from = next.streamSeq + 1;
  }
}
/** The first entry that a reader gets next. */
async function nextSeqOf(id: string, of = org): Promise<number | undefined> {
  const { config } = (await entries.consumer(id))!;
  return (await entries.nextOf(of, config.opt_start_seq ?? 1))?.seq;
}

describe('the publisher', () => {
  it('publishes nothing of a log that nobody reads, and then what is appended from now on', async () => {
    await append(3);
    await publisherOf().run();
    expect(await held()).toEqual([]);
    await read();
    await append(2);
    await publisherOf().run();
    expect(await held()).toEqual([4, 5]);
  });

  it('publishes a log of many pages from a place, in order and once', async () => {
    await append(450);
    await read(3);
    const publisher = publisherOf();
    await publisher.run();
    expect(await held()).toEqual(range(4, 450));
    await append(1);
    await publisherOf().run();
    expect(await held()).toEqual(range(4, 451));
  });

  it('publishes pseudonyms only, also of a customer who is erased meanwhile', async () => {
    const ada = customerTarget();
    const origin = { address: '192.0.2.7', userAgent: 'Ada Browser' };
    const actor = { type: 'customer' as const, id: ada.id };
    await append(1);
    await read(0);
    const record = recordOf({ action: 'customer.sign_in', actor, targets: [ada] });
    await replica.log.append([{ org, record: { ...record, request: { ...record.request, ...origin } } }]);
    await replica.log.append([{ ...erasureOf(ada.id), org }]);
    await publisherOf().run();
    const manager = await jetstreamManager(bus.connection, { checkAPI: false });
    const published: StoredMsg[] = [];
    for (let from = 1; ;) {
      const next = await entries.nextOf(org, from);
      if (!next) break;
      published.push((await manager.streams.getMessage('AUDIT', { seq: next.streamSeq }))!);
      from = next.streamSeq + 1;
    }
    const text = published.map((message) => message.string()).join('\n');
    for (const personal of [ada.id, origin.address, origin.userAgent]) expect(text).not.toContain(personal);
    expect(published.map(({ subject }) => subject)).toEqual(
      ['subject.read', 'customer.sign_in', 'subject.erase'].map((action) => `audit.entry.${org}.${action}`),
    );
    const [, signIn, erasure] = published.map((message) => message.json<AuditEvent>());
    expect(signIn!.targets[0]!.id).toBe(erasure!.targets[0]!.id);
  });

  it('publishes each entry once when a replica is killed before it has stored what it has published', async () => {
    await append(3);
    await read(0);
    const killed = publisherOf(entries, (logs) => (logs.advance = () => Promise.reject(new Error('killed'))));
    await expect(killed.run()).rejects.toThrow('killed');
    await append(2);
    await publisherOf().run();
    expect(await held()).toEqual(range(1, 5));
  });

  it('continues after what JetStream has stored when acknowledgements are lost', async () => {
    await append(10);
    await read(0);
    const losing = new EntryStream(bus);
    losing.publish = async (messages, last) => {
      await entries.publish(messages.slice(0, 6), last);
      return { stored: 2, error: new Error('timeout') };
    };
    await expect(publisherOf(losing).run()).rejects.toThrow('timeout');
    await publisherOf().run();
    expect(await held()).toEqual(range(1, 10));
  });

  it.each([1, 2, 4])('is refused by JetStream as a whole when it is late by %i messages', async (count) => {
    await append(count);
    await read(0);
    const { last } = await entries.state();
    await publisherOf().run();
    const { stored, error } = await entries.publish(messages(1, 2, 3), last);
    expect([stored, isConflict(error)]).toEqual([0, true]);
    expect(await held()).toEqual(range(1, count));
  });

  it('is refused by JetStream when it repeats what is stored', async () => {
    await append(1);
    await read(0);
    const { last } = await entries.state();
    const twice = messages(1, 2);
    expect(await entries.publish(twice, last)).toEqual({ stored: 2 });
    const { stored, error } = await entries.publish(twice, last + 2);
    expect([stored, isConflict(error)]).toEqual([0, true]);
  });

  it('keeps the order of several logs, without a gap, while two replicas publish at once', async () => {
    const orgs = range(1, 12).map((i) => `${org}-${i}`);
    for (const one of orgs) await append(1, one);
    for (const one of orgs) await read(0, one);
    const replicas = [publisherOf(), publisherOf()];
    let appending = true;
    const work = (async () => {
      for (let i = 0; i < 15; i += 1) await Promise.all(orgs.map((one) => append(1 + (i % 3), one)));
      appending = false;
    })();
    while (appending) await Promise.allSettled(replicas.map((one) => one.run()));
    await work;
    // A new replica compares all ends.
    await publisherOf().run();
    for (const one of orgs) expect(await held(one)).toEqual(range(1, 31));
  });

  it('has the lease in one replica at a time, until it releases it', async () => {
    const [one, other] = [new PublishedLogs(replica.database), new PublishedLogs(replica.database)];
    expect([await one.takeLease(), await other.takeLease(), await one.takeLease()]).toEqual([true, false, true]);
    await one.releaseLease();
    expect([await other.takeLease(), await one.takeLease()]).toEqual([true, false]);
    await other.releaseLease();
  });

  it('stops publishing when the organization has moved to another shard, and deletes its consumers', async () => {
    await append(2);
    const { id } = await read(0);
    await tables.query(`INSERT INTO audit.organization_fence (org, refuses) VALUES ('${org}', 'everything')`);
    await publisherOf().run();
    expect(await held()).toEqual([]);
    expect(await entries.consumer(id)).toBeUndefined();
    await tables.query(`DELETE FROM audit.organization_fence WHERE org = '${org}'`);
    await publisherOf().run();
    expect(await held()).toEqual([1, 2]);
    expect(await nextSeqOf(id)).toBe(1);
  });
});

describe('readers', () => {
  it('are refused a place that the stream does not hold, with the place where the log is complete', async () => {
    await append(5);
    await read();
    await append(5);
    await publisherOf().run();
    await expect(read(2)).rejects.toThrow(
      `The stream holds the log of ${org} from 6 on, so it cannot deliver what comes after 2. The log itself is ` +
        `complete: holdfast audit tail ${org} --since 3`,
    );
    await expect(read(1000)).rejects.toThrow(/The log of \S+ ends at \d+, so nothing can begin after 1000/);
    await expect(read(undefined, 'no-such-org')).rejects.toThrow('There is no organization "no-such-org"');
  });

  it('begin at any place that the stream holds, at creation and by a rewind', async () => {
    const other = `${org}-other`;
    for (const one of [org, other]) await append(1, one);
    await read(0);
    await read(0, other);
    for (let i = 0; i < 8; i += 1) {
      await append(3);
      await append(2, other);
      await publisherOf().run();
    }
    const { id } = await read(0);
    expect(await nextSeqOf(id)).toBe(1);
    for (const after of [24, 13, 1, 0]) {
      await readers().rewind(id, after, ofOrg(org));
      expect(await nextSeqOf(id)).toBe(after + 1);
    }
    await readers().rewind(id, 25, ofOrg(org));
    expect(await nextSeqOf(id)).toBeUndefined();
    await expect(readers().rewind(newId(), 0, ofOrg(org))).rejects.toThrow(/no such reader/i);
    await expect(readers().rewind(id, 0, ofOrg(other))).rejects.toThrow(/no such reader/i);
  });

  it('of a log that nobody read for some time begin with what is appended from now on', async () => {
    await append(2);
    const first = await read(0);
    await publisherOf().run();
    await readers().delete(first.id, ofOrg(org));
    await append(5);
    const { id } = await read();
    await append(1);
    await publisherOf().run();
    expect(await nextSeqOf(id)).toBe(8);
    await expect(readers().rewind(id, 4, ofOrg(org))).rejects.toThrow('from 8 on');
  });

  it('have no consumer any more once they are deleted, and each change is recorded', async () => {
    await append(1);
    recorded.length = 0;
    const { id, pending } = await read(0);
    expect(pending).toBe(0);
    expect((await readers().list(ofOrg(org))).map((reader) => reader.id)).toEqual([id]);
    await readers()
      .rewind(id, 0, ofOrg(org))
      .catch(() => undefined);
    await expect(readers().delete(id, ofOrg(`${org}-other`))).rejects.toThrow(/no such reader/i);
    await readers().delete(id, ofOrg(org));
    expect(await entries.consumer(id)).toBeUndefined();
    await publisherOf().run();
    expect(await entries.consumer(id)).toBeUndefined();
    expect(recorded).toEqual(['create', 'list', 'rewind', 'delete'].map((verb) => `audit_reader.${verb}`));
  });

  it('are limited in number', async () => {
    await append(1);
    for (let i = 0; i < 20; i += 1) await read();
    await expect(read()).rejects.toThrow('There are 20 readers already');
  });

  it('of all organizations get every log from now on, also one that begins later', async () => {
    await append(2);
    const { id } = await read(undefined, '*');
    const later = `${org}-later`;
    await append(1);
    await append(2, later);
    await publisherOf().run();
    expect([await held(), await held(later)]).toEqual([[3], [1, 2]]);
    await expect(readers().rewind(id, 3, ofOrg(''))).rejects.toThrow(/no common seq/);
    await readers().rewind(id, 0, ofOrg(''));
    await readers().delete(id, ofOrg(''));
  });
});

async function loseStream(): Promise<void> {
  await stack.nats.restart({ wipe: true });
  const deploy = await stack.connectAs('deploy');
  await declareStreams(deploy);
  await deploy.close();
}

describe('after a loss', () => {
  it('of the files of JetStream the stream gets what it would still hold, and each reader its consumer', async () => {
    await append(300);
    const { id } = await read(2);
    await publisherOf().run();
    expect(await held()).toEqual(range(3, 300));
    await loseStream();
    // On a busy machine the lease of a run may end before it has published.
    await eventually(async () => {
      await publisherOf().run();
      expect(await held()).toEqual(range(3, 300));
    });
    expect(await nextSeqOf(id)).toBe(3);
  });

  it('of the files of JetStream the stream does not get what it would have discarded by now', async () => {
    await append(300);
    await read(2);
    await publisherOf().run();
    await tamperWith(tables, `UPDATE audit.subtree SET last_at = now() - interval '8 days' WHERE org = '${org}'`);
    await loseStream();
    await eventually(async () => {
      await publisherOf().run();
      expect(await held()).toEqual(range(257, 300));
    });
  });

  it('of the newest entries in PostgreSQL the stream continues with those that are appended now', async () => {
    await append(2);
    await read(0);
    await publisherOf().run();
    const { last } = await entries.state();
    expect(await entries.publish(messages(3, 4, 5), last)).toEqual({ stored: 3 });
    await publisherOf().run();
    await append(1);
    await publisherOf().run();
    expect(await held()).toEqual([1, 2, 3, 4, 5, 3]);
  });
});

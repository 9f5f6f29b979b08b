import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import {
  AckPolicy,
  jetstream,
  JetStreamApiError,
  jetstreamManager,
  type Consumer,
  type JetStreamManager,
} from '@nats-io/jetstream';
import { createUser } from '@nats-io/nkeys';
import { connect, headers, nkeyAuthenticator, type NatsConnection } from '@nats-io/transport-node';
import {
  entryStream,
  inboxPrefix,
  natsUsers,
  readerDomain,
  readerInboxPrefix,
  serviceNames,
  streams,
  type BusUser,
} from '@holdfast/contracts';
import { createLogger } from '@holdfast/platform';
import { eventually, startTestCluster, type TestCluster } from '@holdfast/testing';
import { connectBus } from '../connection/connection.js';
import { declareStreams } from './declare.js';

const { name: stream } = entryStream;
const [one, other, late] = ['reader-00000000000000aa', 'reader-00000000000000bb', 'reader-00000000000000cc'] as const;
const keys = Object.fromEntries([one, other, late].map((id) => [id, createUser()]));
const readersOf = (...ids: string[]) => Object.fromEntries(ids.map((id) => [id, keys[id]!.getPublicKey()]));
const streamNames = [...Object.values(streams), entryStream, { name: 'PROBE' }].map(({ name }) => name);
/** Of JetStream, besides those of the contracts and streams. */
const ownSubjects = (id: string, api: string) => ({
  next: `${api}.CONSUMER.MSG.NEXT.${stream}.${id}`,
  info: `${api}.CONSUMER.INFO.${stream}.${id}`,
  ack: `$JS.ACK.${stream}.${id}.1.1.1.1.0`,
});

/** Subjects that somebody hears, or that JetStream stores. */
const chosen = [
  ...['evt.issuance.x', 'evt.issuance.offer.created', 'evt.directory.x', 'evt.audit.x', 'evt.issuance.reception'],
  ...['audit.entry.acme.zz', 'audit.entry.globex.offer.create', 'probe.issuance', 'probe.directory', 'probe.audit'],
  ...['rpc.audit.append-records', 'rpc.audit.list-events', 'rpc.directory.resolve-access', 'rpc.issuance.x'],
  ...['feed.directory.access', 'feed.audit.logs', 'alive.directory', 'alive.audit', 'peers.gateway', 'peers.audit'],
  ...['limits.gateway', 'limits.auth', 'applied.issuance.subjects', 'applied.issuance.audit', 'applied.audit.audit'],
  ...natsUsers.map((user) => `${inboxPrefix(user)}.x`),
  ...[`${readerInboxPrefix(other)}.x`, '_INBOX.x', '_R_.x', '$JS.ACK.AUDIT.x', '$SYS.REQ.SERVER.PING', 'anything'],
  ...[`$JS.ACK.${stream}.${other}.1.1.1.1.0`, `$JS.API.CONSUMER.MSG.NEXT.${stream}.${other}`],
  ...[`$JS.API.STREAM.PURGE.${stream}`, `$JS.API.STREAM.DELETE.${stream}`, '$JS.API.STREAM.DELETE.ISSUANCE'],
  ...[`$JS.API.CONSUMER.DELETE.${stream}.${other}`, `$JS.${readerDomain}.API.CONSUMER.MSG.NEXT.${stream}.${other}`],
];

class Deployment {
  readonly heard: string[] = [];
  private readonly connections: NatsConnection[] = [];

  private constructor(
    readonly cluster: TestCluster,
    readonly jsm: JetStreamManager,
    readonly audit: NatsConnection,
    readonly domain: string | undefined,
  ) {}

  static async start(layout: 'accounts' | 'single'): Promise<Deployment> {
    const cluster = await startTestCluster({ layout, readers: readersOf(one, other) });
    const as = (user: BusUser) =>
      connectBus({ url: cluster.url, nkeySeed: cluster.seed(user), user }, createLogger('test', 'fatal'));
    const deploy = await as('deploy');
    const jsm = await jetstreamManager(deploy, { checkAPI: false });
    await eventually(() => jsm.getAccountInfo());
    await declareStreams(deploy, 3);
    const audit = await as('audit');
    const domain = layout === 'accounts' ? readerDomain : undefined;
    const deployment = new Deployment(cluster, jsm, audit, domain);
    deployment.connections.push(deploy, audit);
    for (const user of natsUsers) await deployment.listen(user, await as(user));
    for (const id of [one, other, late]) await deployment.addConsumer(id);
    return deployment;
  }

  /** Everything that a user may subscribe to in its inbox and as a service. */
  private async listen(user: BusUser, connection: NatsConnection): Promise<void> {
    this.connections.push(connection);
    const callback = (_: Error | null, { subject }: { subject: string }) => void this.heard.push(`${user}: ${subject}`);
    connection.subscribe(`${inboxPrefix(user)}.>`, { callback });
    if ((serviceNames as string[]).includes(user)) connection.subscribe(`rpc.${user}.>`, { queue: user, callback });
    if (user === 'audit' || user === 'gateway') connection.subscribe('feed.audit.logs', { callback });
    if (user === 'gateway') connection.subscribe('feed.directory.access', { callback });
    await connection.flush();
  }

  async addConsumer(id: string): Promise<void> {
    const { consumers } = await jetstreamManager(this.audit, { checkAPI: false });
    await consumers.add(stream, {
      durable_name: id,
      filter_subject: 'audit.entry.>',
      ack_policy: AckPolicy.Explicit,
      ack_wait: 1_000_000_000,
      max_ack_pending: 1,
      max_waiting: 16,
    });
  }

  async reader(id: string): Promise<NatsConnection> {
    const connection = await connect({
      servers: this.cluster.url.split(','),
      authenticator: nkeyAuthenticator(keys[id]!.getSeed()),
      inboxPrefix: readerInboxPrefix(id),
      maxReconnectAttempts: 5,
      reconnectTimeWait: 100,
    });
    this.connections.push(connection);
    return connection;
  }

  async consumer(connection: NatsConnection, id: string): Promise<Consumer> {
    return jetstream(connection, { checkAPI: false, ...(this.domain && { domain: this.domain }) }).consumers.get(
      stream,
      id,
    );
  }

  async append(count: number): Promise<void> {
    for (let i = 0; i < count; i += 1)
      await jetstream(this.audit).publish('audit.entry.acme.offer.create', JSON.stringify({ i }));
  }

  lastSeqs(): Promise<(number | 'deleted')[]> {
    const lastSeqOf = async (name: string) => {
      const info = await this.jsm.streams.info(name).catch((error: unknown) => {
        if (error instanceof JetStreamApiError && error.status === 404) return undefined;
        throw error;
      });
      return info?.state.last_seq ?? 'deleted';
    };
    // A stream that has just got its replicas elects a leader.
    return Promise.all(streamNames.map((name) => eventually(() => lastSeqOf(name))));
  }

  /** Asks JetStream for everything that the reader may ask, each time with a chosen reply subject. */
  async attack(connection: NatsConnection): Promise<void> {
    const { next, info, ack } = ownSubjects(one, this.domain ? `$JS.${this.domain}.API` : '$JS.API');
    const header = headers();
    header.set('Nats-Msg-Id', 'x');
    const pull = JSON.stringify({ batch: 1, no_wait: true });
    for (const reply of chosen)
      for (const more of [{ reply }, { reply, headers: header }]) {
        connection.publish(next, pull, more);
        connection.publish(next, JSON.stringify({ batch: 1, expires: 50_000_000 }), more);
        connection.publish(next, 'no JSON', more);
        connection.publish(info, '', more);
        for (const body of ['', '+NXT', '+NXT {"batch":1,"no_wait":true}', '-NAK', '+WPI', '+TERM'])
          connection.publish(ack, body, more);
        // Without a reply subject, the subjects themselves.
        connection.publish(reply, 'forged', more);
      }
    await connection.flush();
    // What JetStream has received before this is answered by then.
    const own = `${readerInboxPrefix(one)}.end`;
    let answered = false;
    connection.subscribe(own, { callback: () => void (answered = true) });
    // Asked again: a consumer that is just electing its leader answers nothing.
    await eventually(() => {
      connection.publish(info, '', { reply: own });
      return answered;
    });
    await new Promise((resolve) => setTimeout(resolve, 500));
  }

  async stop(): Promise<void> {
    for (const connection of this.connections) await connection.close();
    await this.cluster.stop();
  }
}

describe('a reader in an account of its own, in a cluster of three servers', () => {
  let deployment: Deployment;
  beforeAll(async () => void (deployment = await Deployment.start('accounts')));
  afterAll(() => deployment.stop());

  it('pulls and acknowledges, and gets again what it had not acknowledged when it was killed', async () => {
    await deployment.append(4);
    const first = await deployment.reader(one);
    const consumer = await deployment.consumer(first, one);
    const [a, b] = [await consumer.next(), await consumer.next({ expires: 1000 })];
    expect([a?.subject, a?.json()]).toEqual(['audit.entry.acme.offer.create', { i: 0 }]);
    // One at a time: until it is acknowledged nothing comes, or the same entry again.
    expect(b?.seq ?? a!.seq).toBe(a!.seq);
    expect(await (b ?? a)!.ackAck()).toBe(true);
    expect((await consumer.next())?.json()).toEqual({ i: 1 });
    await first.close();
    const again = await deployment.consumer(await deployment.reader(one), one);
    const seqs: number[] = [];
    for await (const message of await again.consume()) {
      seqs.push(message.json<{ i: number }>().i);
      message.ack();
      if (seqs.length === 3) break;
    }
    expect(seqs).toEqual([1, 2, 3]);
  });

  it('can make JetStream publish nothing where anybody else hears it', async () => {
    await deployment.append(5);
    const victim = await deployment.reader(other);
    const heardByOther: string[] = [];
    victim.subscribe(`${readerInboxPrefix(other)}.>`, {
      callback: (_, { subject }) => void heardByOther.push(subject),
    });
    await victim.flush();
    const pending = async () => {
      const { consumers } = await jetstreamManager(deployment.audit, { checkAPI: false });
      const { num_pending: left, num_ack_pending: unacknowledged } = await consumers.info(stream, other);
      return [left, unacknowledged];
    };
    const [before, pendingBefore] = [await deployment.lastSeqs(), await pending()];
    deployment.heard.length = 0;
    await deployment.attack(await deployment.reader(one));
    expect(await deployment.lastSeqs()).toEqual(before);
    expect(heardByOther).toEqual([]);
    expect(deployment.heard.filter((line) => !/^(deploy|audit): _INBOX_/.test(line))).toEqual([]);
    // The replies to requests of this test.
    expect(deployment.heard.filter((line) => line.endsWith('.x'))).toEqual([]);
    expect(await pending()).toEqual(pendingBefore);
  });

  it('reads after the reload that adds it, while the others go on, and is refused at once after another', async () => {
    const services = deployment.audit.stats();
    deployment.cluster.reload(readersOf(one, other, late));
    const connection = await eventually(() => deployment.reader(late));
    const consumer = await eventually(() => deployment.consumer(connection, late));
    expect((await consumer.next())?.json()).toEqual({ i: 0 });
    const existing = await deployment.consumer(await deployment.reader(one), one);
    expect((await existing.info()).name).toBe(one);
    await deployment.append(1);
    expect(deployment.audit.stats().outMsgs).toBeGreaterThan(services.outMsgs);

    deployment.cluster.reload(readersOf(one, other));
    await eventually(() => expect(connection.isClosed()).toBe(true));
    await expect(deployment.reader(late)).rejects.toThrow(/Authorization/i);
  });
});

describe('a reader in the account of all users, as in the layout of earlier versions', () => {
  let deployment: Deployment;
  beforeAll(async () => void (deployment = await Deployment.start('single')));
  afterAll(() => deployment.stop());

  it('can make JetStream write into streams and delete one, which shows that the attack above is one', async () => {
    const before = await deployment.lastSeqs();
    await deployment.attack(await deployment.reader(one));
    const after = await deployment.lastSeqs();
    expect(after[0]).toBe('deleted');
    expect(after[1]).toBeGreaterThan(Number(before[1]));
  });
});

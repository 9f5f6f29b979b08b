import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { jetstream, jetstreamManager, type JetStreamManager } from '@nats-io/jetstream';
import type { NatsConnection } from '@nats-io/transport-node';
import {
  entryStream,
  entrySubject,
  filterSubjects,
  probeStream,
  probeSubject,
  streams,
  type BusUser,
  type Stream,
} from '@holdfast/contracts';
import { createLogger } from '@holdfast/platform';
import { eventually, startTestCluster, type TestCluster } from '@holdfast/testing';
import { connectBus } from '../connection/connection.js';
import { declareStreams } from './declare.js';
import { jetStreamState } from './stream-states.js';

const all = Object.values(streams);
const names = [...all, probeStream, entryStream].map(({ name }) => name);

describe('declareStreams in a cluster of three nats-servers', () => {
  const connections = new Map<BusUser, Promise<NatsConnection>>();
  let cluster: TestCluster;
  let deploy: NatsConnection;
  let jsm: JetStreamManager;

  beforeAll(async () => {
    cluster = await startTestCluster({ running: 2 });
    deploy = await connectAs('deploy');
    jsm = await jetstreamManager(deploy, { checkAPI: false });
    // Two of three servers elect a leader.
    await eventually(() => jsm.getAccountInfo());
  });
  afterAll(async () => {
    for (const connection of connections.values()) await (await connection).close();
    await cluster.stop();
  });

  function connectAs(user: BusUser): Promise<NatsConnection> {
    const options = { url: cluster.url, nkeySeed: cluster.seed(user), user };
    const connection = connections.get(user) ?? connectBus(options, createLogger('test', 'fatal'));
    connections.set(user, connection);
    return connection;
  }

  it('waits for the third server when streams have three replicas, and then declares all', async () => {
    let declared: string[] | undefined;
    const declaring = declareStreams(deploy, 3).then((done) => (declared = done));
    // The stream exists with one replica while it waits.
    const { config } = await eventually(() => jsm.streams.info(all[0]!.name));
    expect(config.num_replicas).toBe(1);
    expect(declared).toBeUndefined();

    cluster.servers[2]!.start();
    await declaring;
    for (const { name, consumers } of all) {
      // A stream elects a leader after its replicas have changed; nats-server does not respond about it meanwhile.
      const info = await eventually(() => jsm.streams.info(name));
      expect(info.config.num_replicas).toBe(3);
      expect(info.state.consumer_count).toBe(consumers.length);
    }
    expect(await eventually(() => declareStreams(deploy, 3))).toEqual(declared);
  });

  it('lets each producer publish, and each consumer read what was published', async () => {
    for (const stream of all) await publishAndRead(stream);
    const [issuance, audit] = [jetstream(await connectAs('issuance')), jetstream(await connectAs('audit'))];
    expect(await issuance.publish(probeSubject('issuance'))).toMatchObject({ stream: probeStream.name });
    expect(await audit.publish(entrySubject('acme', 'a.b'))).toMatchObject({ stream: entryStream.name });
  });

  it('stores nothing when it checks that the streams receive messages', async () => {
    const lastSeqs = async () => Promise.all(names.map(async (name) => (await jsm.streams.info(name)).state.last_seq));
    const before = await lastSeqs();
    await declareStreams(deploy, 3);
    const { streams: states, entries } = await jetStreamState(deploy);
    expect([...states, entries].map(({ reception }) => reception)).toEqual(Array(4).fill({ receives: true }));
    expect(await lastSeqs()).toEqual(before);
  });

  it('repairs a stream whose leader does not receive what is published, and reports it before', async () => {
    const stream: Stream = all[0]!;
    const { name, subjects } = stream;
    // As an earlier version did: subjects and replicas in one update.
    await jsm.streams.update(name, { subjects: [`declare.${name}`], num_replicas: 1 });
    await eventually(async () => expect((await jsm.streams.info(name)).cluster?.replicas ?? []).toEqual([]));
    await jsm.streams.update(name, { subjects, num_replicas: 3 });
    const isLed = async () => expect((await jsm.streams.info(name)).cluster?.leader).toBeTruthy();
    await eventually(isLed);
    const { streams: states } = await jetStreamState(deploy);
    expect(states.filter(({ reception }) => !reception.receives)).toEqual([
      expect.objectContaining({
        stream: name,
        reception: { receives: false, reason: expect.stringMatching(/no server/), isUnsubscribed: true },
      }),
    ]);
    await declareStreams(deploy, 3);
    await publishAndRead(stream);
  });

  it.each([1, 3])('changes to %i replicas without a loss of reception', async (replicas) => {
    await declareStreams(deploy, replicas);
    for (const stream of all) {
      expect((await eventually(() => jsm.streams.info(stream.name))).config.num_replicas).toBe(replicas);
      await publishAndRead(stream);
    }
  });

  async function publishAndRead(stream: Stream): Promise<void> {
    const { name, producer, consumers } = stream;
    for (const consumer of consumers) {
      const [filter] = filterSubjects(stream, consumer) ?? stream.subjects;
      const subject = filter!.replace(/>$/, 'test');
      const { seq } = await jetstream(await connectAs(producer)).publish(subject, JSON.stringify({ consumer }));
      const reader = await jetstream(await connectAs(consumer), { checkAPI: false }).consumers.get(name, consumer);
      await eventually(async () => {
        const message = await reader.next({ expires: 1000 });
        message?.ack();
        expect(message?.seq).toBe(seq);
      });
    }
  }
});

import { setTimeout } from 'node:timers/promises';
import {
  AckPolicy,
  DeliverPolicy,
  DiscardPolicy,
  JetStreamApiError,
  jetstreamManager,
  RetentionPolicy,
  StorageType,
  type JetStreamManager,
  type StreamConfig,
} from '@nats-io/jetstream';
import { nanos, type NatsConnection } from '@nats-io/transport-node';
import {
  entryStream,
  entryStreamDefaults,
  filterSubjects,
  probeStream,
  streams,
  type Stream,
} from '@holdfast/contracts';
import { ensureReception } from './stream-reception.js';

const ackWaitMs = 2000;
const dayMs = 24 * 60 * 60 * 1000;
/** How long servers of the cluster may take to join it. */
const joinTimeoutMs = 60_000;
/** JSClusterNoPeersErrF of nats-server. */
const noPeersErrorCode = 10_005;
const notFound = 404;

/** Whether the leader of JetStream knows fewer servers than a stream has replicas. */
export function hasTooFewServers(error: unknown): boolean {
  return error instanceof JetStreamApiError && error.code === noPeersErrorCode;
}

/**
 * Declares the streams and their durable consumers. Only the user `deploy` may. It is idempotent and can run at any
 * time: existing streams keep their messages.
 */
export async function declareStreams(
  connection: NatsConnection,
  replicas = 1,
  entryLimits: EntryLimits = entryStreamDefaults,
): Promise<string[]> {
  const jsm = await jetstreamManager(connection, { checkAPI: false });
  const done: string[] = [];
  for (const stream of Object.values(streams)) done.push(...(await declareStream(jsm, stream, replicas)));
  done.push(await declareProbe(jsm, replicas), await declareEntries(jsm, replicas, entryLimits));
  for (const { name, subjects } of [...Object.values(streams), probeStream, entryStream])
    await ensureReception(connection, jsm, name, subjects);
  return done;
}

/** What the stream of entries holds at most. */
export interface EntryLimits {
  maxDays: number;
  maxBytes: number;
}

/** Keeps the entries for readers, whatever they have read, so that one may go back. */
async function declareEntries(
  jsm: JetStreamManager,
  replicas: number,
  { maxDays, maxBytes }: EntryLimits,
): Promise<string> {
  const { name, subjects } = entryStream;
  await declareWithoutConsumers(jsm, {
    name,
    subjects: [...subjects],
    max_age: nanos(maxDays * dayMs),
    max_bytes: maxBytes,
    num_replicas: replicas,
  });
  return `stream ${name}`;
}

/** Keeps one small message per probing service, for an hour at most. */
async function declareProbe(jsm: JetStreamManager, replicas: number): Promise<string> {
  const { name, subjects, maxBytes } = probeStream;
  await declareWithoutConsumers(jsm, {
    name,
    subjects,
    max_msgs_per_subject: 1,
    max_age: nanos(dayMs / 24),
    max_bytes: maxBytes,
    num_replicas: replicas,
  });
  return `stream ${name}`;
}

async function declareWithoutConsumers(
  jsm: JetStreamManager,
  limits: Partial<StreamConfig> & { name: string },
): Promise<void> {
  const config = {
    retention: RetentionPolicy.Limits,
    storage: StorageType.File,
    discard: DiscardPolicy.Old,
    ...limits,
  };
  const existing = await jsm.streams.info(config.name).catch(unlessMissing);
  if (!existing) await whenKnown(() => jsm.streams.add({ ...config, num_replicas: 1 }));
  await update(jsm, config);
}

async function declareStream(jsm: JetStreamManager, stream: Stream, replicas: number): Promise<string[]> {
  const { name, subjects, consumers, maxBytes } = stream;
  const config: Partial<StreamConfig> & { name: string } = {
    name,
    subjects,
    // Messages are removed when every consumer has acknowledged them, or after a day: the outbox still has them then.
    retention: RetentionPolicy.Interest,
    storage: StorageType.File,
    max_age: nanos(dayMs),
    // An unavailable consumer must neither fill the disk nor block events of the others. JetStream discards the oldest
    // events, and the relay publishes them again (relay.ts).
    max_bytes: maxBytes,
    discard: DiscardPolicy.Old,
    duplicate_window: nanos(2 * 60 * 1000),
    num_replicas: replicas,
  };
  const existing = await jsm.streams.info(name).catch(unlessMissing);
  // With interest retention a stream drops messages at once while it has no consumers. So a new stream gets a subject
  // that nobody publishes to until its consumers exist. It begins with one replica: a server that was late at the first
  // start of a cluster becomes known by its response to a change, and a stream that needs it would be refused for ever.
  const first = { ...config, subjects: [`declare.${name}`], num_replicas: 1 };
  if (!existing) await whenKnown(() => jsm.streams.add(first));
  for (const durable of consumers) {
    const filter = filterSubjects(stream, durable);
    const settings = {
      // After this time events that a killed or hung replica received are redelivered; a working one extends it.
      ack_wait: nanos(ackWaitMs),
      max_ack_pending: 5000,
      max_deliver: -1,
      ...(filter && { filter_subjects: filter }),
    };
    // JetStream rejects adding an existing consumer with different settings.
    const existingConsumer = await jsm.consumers.info(name, durable).catch(unlessMissing);
    const added = { durable_name: durable, ack_policy: AckPolicy.Explicit, deliver_policy: DeliverPolicy.All };
    await whenKnown(() =>
      existingConsumer
        ? jsm.consumers.update(name, durable, settings)
        : jsm.consumers.add(name, { ...added, ...settings }),
    );
  }
  await update(jsm, config);
  return [`stream ${name}`, ...consumers.map((c) => `consumer ${name}/${c}`)];
}

/**
 * The replicas in an update of their own, after all else. When one update changes the subjects and the replicas, the
 * leader of the stream stays subscribed to the old subjects only, and the stream stores nothing for ever
 * (docs/adr/0070-silent-nats-servers.md).
 */
async function update(jsm: JetStreamManager, config: Partial<StreamConfig> & { name: string }): Promise<void> {
  const { num_replicas: _, ...others } = config;
  await whenKnown(() => jsm.streams.update(config.name, others));
  await whenKnown(() => jsm.streams.update(config.name, config));
}

/**
 * Repeats a request while too few servers have joined the cluster for the replicas of the stream (for the first one
 * while the leader has seen no other server since its start), and while the server that responds does not know a stream
 * yet that another one has just created.
 */
export async function whenKnown<T>(request: () => Promise<T>, pauseMs = 500): Promise<T> {
  for (const deadline = Date.now() + joinTimeoutMs; ;)
    try {
      return await request();
    } catch (error) {
      const isUnknown = error instanceof JetStreamApiError && error.status === notFound;
      if ((!isUnknown && !hasTooFewServers(error)) || Date.now() > deadline) throw error;
      await setTimeout(pauseMs);
    }
}

function unlessMissing(error: unknown): undefined {
  if (error instanceof JetStreamApiError && error.status === notFound) return undefined;
  throw error;
}

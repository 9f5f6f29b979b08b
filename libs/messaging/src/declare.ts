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
import { probeStream, streams, type Stream } from '@holdfast/contracts';

const ackWaitMs = 2000;
const day = 24 * 60 * 60 * 1000;

/**
 * Declares streams and their durable consumers: the start job, the only one that may. It can run at any time and again;
 * what is there and right stays as it is.
 */
export async function declareStreams(connection: NatsConnection, replicas = 1): Promise<string[]> {
  const jsm = await jetstreamManager(connection, { checkAPI: false });
  const done: string[] = [];
  for (const stream of Object.values(streams)) done.push(...(await declareStream(jsm, stream, replicas)));
  return [...done, await declareProbe(jsm, replicas)];
}

/** One small message for each who probes, gone after an hour without a new one. */
async function declareProbe(jsm: JetStreamManager, replicas: number): Promise<string> {
  const { name, subjects, maxBytes } = probeStream;
  const config: Partial<StreamConfig> & { name: string } = {
    name,
    subjects,
    retention: RetentionPolicy.Limits,
    storage: StorageType.File,
    max_msgs_per_subject: 1,
    max_age: nanos(day / 24),
    max_bytes: maxBytes,
    discard: DiscardPolicy.Old,
    num_replicas: replicas,
  };
  const there = await jsm.streams.info(name).catch(unlessMissing);
  await (there ? jsm.streams.update(name, config) : jsm.streams.add(config));
  return `stream ${name}`;
}

async function declareStream(
  jsm: JetStreamManager,
  { name, subjects, consumers, maxBytes }: Stream,
  replicas: number,
): Promise<string[]> {
  const config: Partial<StreamConfig> & { name: string } = {
    name,
    subjects,
    // A message goes when every consumer has it, and after a day at the latest: the outbox still has it then.
    retention: RetentionPolicy.Interest,
    storage: StorageType.File,
    max_age: nanos(day),
    // A consumer that is away must not fill the disk of all, nor refuse what others wait for: the oldest events go, and
    // the relay publishes them again (relay.ts).
    max_bytes: maxBytes,
    discard: DiscardPolicy.Old,
    duplicate_window: nanos(2 * 60 * 1000),
    num_replicas: replicas,
  };
  const there = await jsm.streams.info(name).catch(unlessMissing);
  // With interest retention, a message that nobody consumes yet is dropped at once. So the stream takes no events until
  // its consumers stand: it begins with a subject that nobody publishes to.
  if (!there) await jsm.streams.add({ ...config, subjects: [`declare.${name}`] });
  for (const durable of consumers) {
    const settings = {
      // What a killed or hung replica took goes to another after this; one that works says so in time (consumer.ts).
      ack_wait: nanos(ackWaitMs),
      max_ack_pending: 5000,
      max_deliver: -1,
    };
    // To add one that is there with the settings of another version is refused.
    const known = await jsm.consumers.info(name, durable).catch(unlessMissing);
    await (known
      ? jsm.consumers.update(name, durable, settings)
      : jsm.consumers.add(name, {
          durable_name: durable,
          ack_policy: AckPolicy.Explicit,
          deliver_policy: DeliverPolicy.All,
          ...settings,
        }));
  }
  await jsm.streams.update(name, config);
  return [`stream ${name}`, ...consumers.map((c) => `consumer ${name}/${c}`)];
}

function unlessMissing(error: unknown): undefined {
  if (error instanceof JetStreamApiError && error.status === 404) return undefined;
  throw error;
}

import { jetstreamManager, type ConsumerInfo, type JetStreamManager, type StreamInfo } from '@nats-io/jetstream';
import type { NatsConnection } from '@nats-io/transport-node';
import { entryStream, streams } from '@holdfast/contracts';
import { receptionOf, type Reception } from './stream-reception.js';

export interface StreamState {
  stream: string;
  bytes: number;
  maxBytes: number;
  /** Servers that should store it and are not up to date. */
  offlineReplicas: number;
  /** Whether it receives what is published to it. */
  reception: Reception;
  /** Events that each consumer has not acknowledged yet. */
  consumers: { consumer: string; unacknowledged: number }[];
}

export interface JetStreamState {
  streams: StreamState[];
  /** The stream with the entries of audit logs. Its consumers are the readers (docs/audit-readers.md). */
  entries: StreamState;
  storedBytes: number;
  /** -1: unlimited. */
  maxBytes: number;
}

/**
 * What JetStream stores, and what consumers have not applied. Only the user `deploy` may ask.
 *
 * @throws JetStreamApiError when a stream or consumer has not been declared
 */
export async function jetStreamState(connection: NatsConnection): Promise<JetStreamState> {
  const jsm = await jetstreamManager(connection, { checkAPI: false });
  const account = await jsm.getAccountInfo();
  const states = Object.values(streams).map(async ({ name, consumers }) =>
    stateOf(
      await jsm.streams.info(name),
      await Promise.all(consumers.map((one) => jsm.consumers.info(name, one))),
      await receptionOf(connection, name),
    ),
  );
  // All are awaited together: a rejection that nothing awaits yet would end the process.
  const [entries, ...others] = await Promise.all([entriesState(jsm, connection), ...states]);
  return { streams: others, entries, storedBytes: account.storage, maxBytes: account.limits.max_storage };
}

async function entriesState(jsm: JetStreamManager, connection: NatsConnection): Promise<StreamState> {
  const readers: ConsumerInfo[] = [];
  for await (const reader of jsm.consumers.list(entryStream.name)) readers.push(reader);
  const { name } = entryStream;
  return stateOf(await jsm.streams.info(name), readers, await receptionOf(connection, name));
}

function stateOf(
  { config, state, cluster }: StreamInfo,
  consumers: readonly ConsumerInfo[],
  reception: Reception,
): StreamState {
  return {
    reception,
    stream: config.name,
    bytes: state.bytes,
    maxBytes: config.max_bytes,
    offlineReplicas: (cluster?.replicas ?? []).filter(({ offline, current }) => offline === true || !current).length,
    consumers: consumers.map(({ name, num_pending: pending, num_ack_pending: delivered }) => ({
      consumer: name,
      unacknowledged: pending + delivered,
    })),
  };
}

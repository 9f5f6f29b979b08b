import { jetstreamManager } from '@nats-io/jetstream';
import type { NatsConnection } from '@nats-io/transport-node';
import { streams } from '@holdfast/contracts';

export interface StreamState {
  stream: string;
  bytes: number;
  maxBytes: number;
  /** Servers that should store it and are not up to date. */
  offlineReplicas: number;
  /** Events that each consumer has not acknowledged yet. */
  consumers: { consumer: string; unacknowledged: number }[];
}

export interface JetStreamState {
  streams: StreamState[];
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
  const states = Object.values(streams).map(async ({ name, maxBytes, consumers }): Promise<StreamState> => {
    const { state, cluster } = await jsm.streams.info(name);
    const lags = consumers.map(async (consumer) => {
      const { num_pending: pending, num_ack_pending: delivered } = await jsm.consumers.info(name, consumer);
      return { consumer, unacknowledged: pending + delivered };
    });
    return {
      stream: name,
      bytes: state.bytes,
      maxBytes,
      offlineReplicas: (cluster?.replicas ?? []).filter(({ offline, current }) => offline === true || !current).length,
      consumers: await Promise.all(lags),
    };
  });
  return { streams: await Promise.all(states), storedBytes: account.storage, maxBytes: account.limits.max_storage };
}

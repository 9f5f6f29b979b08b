import { setTimeout as sleep } from 'node:timers/promises';
import type { NatsConnection } from '@nats-io/transport-node';
import type { ServiceName } from '@holdfast/contracts';
import { waitForSuccessor } from '@holdfast/messaging';

/** Readiness probes and proxies need some seconds until a successor gets requests. */
const noticedAfterMs = 8000;
/** How much longer than SUCCESSOR_SECONDS a stop may take because of it. */
export const handOverMarginMs = noticedAfterMs + 1000;

/** A replica that was there already is known to everybody. */
const wasThereMs = 1000;

/**
 * Goes on until another replica is ready, and has been noticed: a single replica that is evicted ends before its
 * successor has started.
 *
 * @param successorSeconds how long at most; 0: not at all
 */
export async function handOver(
  connection: NatsConnection,
  service: ServiceName,
  replica: string,
  successorSeconds = 0,
): Promise<void> {
  if (successorSeconds === 0 || connection.isClosed()) return;
  const waitedMs = await waitForSuccessor(connection, service, replica, successorSeconds * 1000);
  if (waitedMs !== undefined && waitedMs > wasThereMs) await sleep(noticedAfterMs);
}

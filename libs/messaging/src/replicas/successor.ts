import { setTimeout as sleep } from 'node:timers/promises';
import type { NatsConnection } from '@nats-io/transport-node';
import { replicaAnnouncementSchema, replicaAnnouncementSubject, type ServiceName } from '@holdfast/contracts';
import { subscribeValidated } from '../subscriptions/validated-subscription.js';

/**
 * Waits until another replica of the service announces that it is ready, so that a replica which ends is not the only
 * one. The subscription ends with the connection.
 *
 * @param own id of this replica
 * @returns after how many milliseconds one did; undefined if none did in time
 */
export async function waitForSuccessor(
  connection: NatsConnection,
  service: ServiceName,
  own: string,
  timeoutMs: number,
): Promise<number | undefined> {
  const beganMs = performance.now();
  const aborting = new AbortController();
  const found = new Promise<number>((resolve) => {
    const subject = replicaAnnouncementSubject(service);
    subscribeValidated(connection, subject, replicaAnnouncementSchema, ({ replica, ready = true, leaving = false }) => {
      if (replica !== own && ready && !leaving) resolve(performance.now() - beganMs);
    });
  });
  const none = sleep(timeoutMs, undefined, { signal: aborting.signal }).catch(() => undefined);
  const waitedMs = await Promise.race([found, none]);
  aborting.abort();
  return waitedMs;
}

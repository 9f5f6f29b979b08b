import type { NatsConnection } from '@nats-io/transport-node';
import { replicaAnnouncementSubject, type ReplicaAnnouncement, type ServiceName } from '@holdfast/contracts';
import { everyTick } from '@holdfast/platform';
import { publishHint } from '../connection/connection-status.js';

const intervalMs = 250;
/** Checking readiness queries the database, so it happens less often than the announcement. */
const checkIntervalMs = 1000;

export interface ReplicaAnnouncer {
  /** Tells callers to send no more requests: the first step of a shutdown. */
  leave(): Promise<void>;
}

/**
 * Announces four times a second that this replica runs and whether it is ready. A process that is paused, cut off or
 * too busy to run its timers announces nothing, and callers avoid it (replicas.ts).
 */
export function announceReplica(
  connection: NatsConnection,
  service: ServiceName,
  replica: string,
  isReady: () => Promise<boolean>,
  machineTimeMs = () => Date.now(),
): ReplicaAnnouncer {
  let ready = true;
  const publish = (leaving: boolean): void => {
    const announcement = { replica, atMs: machineTimeMs(), ready, deduplicates: true, ...(leaving && { leaving }) };
    publishHint(connection, replicaAnnouncementSubject(service), announcement satisfies ReplicaAnnouncement);
  };
  let checking = false;
  const check = async (): Promise<void> => {
    if (checking) return;
    checking = true;
    ready = await isReady().catch(() => false);
    checking = false;
  };
  publish(false);
  const ticking = [everyTick(intervalMs, () => publish(false)), everyTick(checkIntervalMs, () => void check())];
  return {
    leave: async () => {
      ticking.forEach(({ stop }) => stop());
      publish(true);
      await connection.flush().catch(() => undefined);
    },
  };
}

import type { NatsConnection } from '@nats-io/transport-node';
import { replicaAnnouncementSubject, type ReplicaAnnouncement, type ServiceName } from '@holdfast/contracts';

const intervalMs = 250;
/** How often a replica looks whether it is ready: each look asks the database. */
const checkIntervalMs = 1000;

export interface ReplicaAnnouncer {
  /** Tells everybody to send no more, as the first step of a stop. */
  leave(): Promise<void>;
}

/**
 * Says four times a second that this replica lives, and whether it is ready. A process that is paused, cut off, or so
 * busy that its timers do not run says nothing, and callers leave it out (replicas.ts).
 */
export function announceReplica(
  connection: NatsConnection,
  service: ServiceName,
  replica: string,
  isReady: () => Promise<boolean>,
  machineTimeMs = () => Date.now(),
): ReplicaAnnouncer {
  let ready = true;
  const say = (leaving: boolean): void => {
    if (connection.isClosed()) return;
    connection.publish(
      replicaAnnouncementSubject(service),
      JSON.stringify({
        replica,
        atMs: machineTimeMs(),
        ready,
        ...(leaving && { leaving }),
      } satisfies ReplicaAnnouncement),
    );
  };
  let checking = false;
  const check = async (): Promise<void> => {
    if (checking) return;
    checking = true;
    ready = await isReady().catch(() => false);
    checking = false;
  };
  say(false);
  const timers = [setInterval(() => say(false), intervalMs), setInterval(() => void check(), checkIntervalMs)];
  timers.forEach((timer) => timer.unref());
  return {
    leave: async () => {
      timers.forEach(clearInterval);
      say(true);
      await connection.flush().catch(() => undefined);
    },
  };
}

import { replicaReports, type ReplyOf, type ServiceName } from '@holdfast/contracts';
import { Bus } from '@holdfast/messaging/client';
import { operatorContext } from './operator-session.js';

/** Of one service. */
const maxReplicas = 100;

/** What one replica says of itself, or why it says nothing. */
export interface ReplicaAnswer {
  report?: ReplyOf<(typeof replicaReports)[ServiceName]>;
  reason?: string;
}

/**
 * Asks these replicas of a service, each on its own, so that one that hangs hides no other.
 * @param command whose requests they are, for the logs
 */
export function reportsOfReplicas(
  connection: Bus['connection'],
  service: ServiceName,
  replicas: Iterable<string>,
  command: string,
): Promise<ReplicaAnswer[]> {
  const asked = [...replicas].slice(0, maxReplicas).map(async (id): Promise<ReplicaAnswer> => {
    const only = { choose: () => ({ id, deduplicates: false, begin: () => () => undefined }), remove: () => undefined };
    try {
      const bus = new Bus(connection, undefined, only);
      return { report: await bus.request(replicaReports[service], {}, operatorContext(command, '')) };
    } catch (error) {
      return { reason: error instanceof Error ? error.message : String(error) };
    }
  });
  return Promise.all(asked);
}

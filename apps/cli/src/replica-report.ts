import { replicaReports, type ReplyOf, type ServiceName } from '@holdfast/contracts';
import { Bus } from '@holdfast/messaging/client';
import { operatorContext } from './operator-session.js';

export type ReplicaReport = ReplyOf<(typeof replicaReports)[ServiceName]>;

/**
 * What one replica says of itself. It is asked on its own, so that one that hangs hides no other.
 *
 * @param command whose request it is, for the logs
 * @throws when it does not answer within the time of the contract
 */
export function reportOfReplica(
  connection: Bus['connection'],
  service: ServiceName,
  replica: string,
  command: string,
): Promise<ReplicaReport> {
  const only = { choose: () => ({ id: replica, begin: () => () => undefined }), remove: () => undefined };
  return new Bus(connection, undefined, only).request(replicaReports[service], {}, operatorContext(command, ''));
}

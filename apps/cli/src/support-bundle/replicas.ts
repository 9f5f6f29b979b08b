import { setTimeout as sleep } from 'node:timers/promises';
import { serviceNames, type ServiceName } from '@holdfast/contracts';
import { Replicas } from '@holdfast/messaging/client';
import { withBus } from '../operator-session.js';
import { reportsOfReplicas, type ReplicaAnswer } from '../replica-report.js';

/** Every live replica announces itself several times in it. */
const listenMs = 3000;
/** A service of which no replica has announced itself by then counts as stopped. A busy machine may need so long. */
const maxListenMs = 15_000;
const pollMs = 500;

export interface Reported extends ReplicaAnswer {
  /** `issuance-2`: numbered within the bundle. */
  name: string;
}

/** Asks each replica that announces itself. */
export function replicasReported(): Promise<Reported[]> {
  return withBus('operator', async ({ connection }) => {
    const found = new Map<ServiceName, Set<string>>(serviceNames.map((service) => [service, new Set()]));
    const replicas = new Replicas(connection, (service, { replica, leaving }) => {
      if (leaving) found.get(service)!.delete(replica);
      else found.get(service)!.add(replica);
    });
    replicas.watchServices(serviceNames);
    await sleep(listenMs);
    const isSilent = () => [...found.values()].some((ids) => ids.size === 0);
    for (let waitedMs = listenMs; waitedMs < maxListenMs && isSilent(); waitedMs += pollMs) await sleep(pollMs);
    const reported = await Promise.all(
      [...found].map(async ([service, ids]): Promise<Reported[]> => {
        if (ids.size === 0) return [{ name: service, reason: 'no replica announces itself' }];
        const answers = await reportsOfReplicas(connection, service, ids, 'support-bundle');
        return answers.map((answer, i) => ({ name: `${service}-${i + 1}`, ...answer }));
      }),
    );
    return reported.flat();
  });
}

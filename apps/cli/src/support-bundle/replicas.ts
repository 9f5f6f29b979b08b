import { setTimeout as sleep } from 'node:timers/promises';
import { serviceNames, type ServiceName } from '@holdfast/contracts';
import { Replicas, type Bus } from '@holdfast/messaging/client';
import { withBus } from '../operator-session.js';
import { reportOfReplica, type ReplicaReport } from '../replica-report.js';

/** Every live replica announces itself several times in it, also on a busy machine. */
const listenMs = 3000;
const maxReplicas = 100;

export interface Reported {
  /** `issuance-2`: numbered within the bundle. */
  name: string;
  report?: ReplicaReport;
  /** Why there is no report. */
  reason?: string;
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
    const asked = [...found].flatMap(([service, ids]) =>
      ids.size === 0
        ? [Promise.resolve({ name: service, reason: 'no replica announces itself' })]
        : [...ids].slice(0, maxReplicas).map((id, i) => ask(connection, service, id, `${service}-${i + 1}`)),
    );
    return Promise.all(asked);
  });
}

async function ask(connection: Bus['connection'], service: ServiceName, id: string, name: string): Promise<Reported> {
  try {
    return { name, report: await reportOfReplica(connection, service, id, 'support-bundle') };
  } catch (error) {
    return { name, reason: error instanceof Error ? error.message : String(error) };
  }
}

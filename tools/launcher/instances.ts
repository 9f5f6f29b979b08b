import { serviceNames, services, shardedServices, type ServiceName } from '@holdfast/contracts';
import { ReportedError } from '../infra/console.ts';
import { freePort, stateOfPort } from '../infra/ports.ts';
import type { PublicAddress } from './public-address.ts';

/** One process of a service, with its ports, which stay the same while the launcher runs. */
export interface Instance {
  service: ServiceName;
  /** The further shard that it belongs to; absent for `main` and for services that exist once for all shards. */
  shard?: string;
  /** Counts from 1. */
  replica: number;
  /** Such as `subjects-2`, or `subjects@eu2-1` on the shard `eu2`. */
  name: string;
  /** The address that it listens on. */
  host: string;
  /** Port of health checks and metrics. */
  opsPort: number;
  httpPort?: number;
  readyUrl: string;
}

export async function planInstances(
  replicas: Record<string, number>,
  address: PublicAddress,
  shards: readonly string[],
): Promise<Instance[]> {
  for (const name of Object.keys(replicas)) {
    if (!(name in services))
      throw new ReportedError(`There is no service ${name}. The services are ${serviceNames.join(', ')}.`);
  }
  const instances: Instance[] = [];
  for (const service of serviceNames) {
    for (let replica = 1; replica <= (replicas[service] ?? 1); replica++) {
      instances.push(await planInstance(service, replica, address));
    }
  }
  for (const shard of shards)
    for (const service of shardedServices)
      instances.push({ ...(await planInstance(service, 1, address, shard)), shard });
  return instances;
}

/** The name of a program of a further shard. */
export function nameOnShard(program: string, shard: string | undefined): string {
  return shard === undefined ? program : `${program}@${shard}`;
}

async function planInstance(
  service: ServiceName,
  replica: number,
  address: PublicAddress,
  shard?: string,
): Promise<Instance> {
  const name = `${nameOnShard(service, shard)}-${replica}`;
  const opsPort = await freePort();
  if (service === 'gateway') {
    const httpPort = address.port + replica - 1;
    await requirePort(httpPort);
    const ready = Object.assign(new URL('/readyz', address.baseUrl), { port: String(httpPort) });
    return { service, replica, name, host: address.host, opsPort, httpPort, readyUrl: ready.href };
  }
  const host = '127.0.0.1';
  const readyUrl = `http://${host}:${opsPort}/readyz`;
  return {
    service,
    replica,
    name,
    host,
    opsPort,
    readyUrl,
    ...(services[service].http ? { httpPort: await freePort() } : {}),
  };
}

async function requirePort(port: number): Promise<void> {
  const state = await stateOfPort(port);
  if (state === 'taken')
    throw new ReportedError(
      `Port ${port} is taken by another program. Choose another one, such as: PORT=${port + 10} npm start`,
    );
  if (state === 'forbidden')
    throw new ReportedError(
      `Port ${port} may be used by root only. Choose one above 1023, such as: PORT=8080 npm start`,
    );
}

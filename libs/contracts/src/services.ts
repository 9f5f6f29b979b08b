/**
 * The services of a deployment: the source for the launcher, the NATS permissions, the database roles and the diagram
 * in docs/architecture.md. Each shard has its own replicas of the services that are `sharded`, its own NATS and its own
 * database; the other services exist once, for all shards (docs/adr/0051-shards.md).
 */
export const services = {
  gateway: { database: false, http: true, sharded: false },
  auth: { database: true, http: true, sharded: false },
  issuance: { database: true, http: false, sharded: true },
  subjects: { database: true, http: false, sharded: true },
  audit: { database: true, http: false, sharded: true },
  directory: { database: true, http: false, sharded: false },
  signals: { database: true, http: false, sharded: true },
} as const satisfies Record<string, { database: boolean; http: boolean; sharded: boolean }>;

export type ServiceName = keyof typeof services;

/**
 * How far V8 lets the heap of a service grow, as NODE_OPTIONS: in MiB, the same for all services and wherever they run
 * (docs/adr/0060-heap-sizes.md). By default V8 derives both sizes from the memory of the machine or of the container.
 */
export const nodeOptions = '--max-old-space-size=256 --max-semi-space-size=4';

export const serviceNames = Object.keys(services) as ServiceName[];

export const shardedServices = serviceNames.filter((name) => services[name].sharded);

/** NATS users that are no services: `deploy` declares streams, `operator` is the CLI of the operator. */
const toolNames = ['deploy', 'operator'] as const;

export type BusUser = ServiceName | (typeof toolNames)[number];

export const natsUsers: readonly BusUser[] = [...serviceNames, ...toolNames];

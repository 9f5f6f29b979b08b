/**
 * The services of a deployment. The launcher, the NATS permissions, the database roles and the charts all read this
 * table, so that the picture in docs/architecture.md and the run-time permissions cannot drift apart.
 */
export const services = {
  gateway: { database: false, http: true },
  auth: { database: true, http: true },
  issuance: { database: true, http: false },
  subjects: { database: true, http: false },
  audit: { database: true, http: false },
  directory: { database: true, http: false },
  signals: { database: true, http: false },
} as const satisfies Record<string, { database: boolean; http: boolean }>;

export type ServiceName = keyof typeof services;

export const serviceNames = Object.keys(services) as ServiceName[];

/** Programs that are no service: `deploy` declares streams, `operator` is the command line of the operator. */
export const toolNames = ['deploy', 'operator'] as const;

export type BusUser = ServiceName | (typeof toolNames)[number];

export const natsUsers: readonly BusUser[] = [...serviceNames, ...toolNames];

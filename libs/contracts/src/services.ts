/**
 * The services of a deployment: the source for the launcher, the NATS permissions, the database roles and the diagram
 * in docs/architecture.md.
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

/** NATS users that are no services: `deploy` declares streams, `operator` is the CLI of the operator. */
const toolNames = ['deploy', 'operator'] as const;

export type BusUser = ServiceName | (typeof toolNames)[number];

export const natsUsers: readonly BusUser[] = [...serviceNames, ...toolNames];

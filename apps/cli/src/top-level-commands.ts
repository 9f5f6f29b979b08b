import type { Command } from 'commander';

type AddCommands = (program: Command) => void;

/** A command of the first level. Its modules are loaded when it is called: all of them take most of a second. */
export interface TopLevelCommand {
  name: string;
  /** In the list of all commands. Its own help says more. */
  summary: string;
  load: () => Promise<AddCommands[]>;
  /** Those of its commands that need modules which the others do not: loaded for them, and for the list of all. */
  loadOthers?: () => Promise<AddCommands>;
}

/** In the order of the list. */
export const topLevelCommands: readonly TopLevelCommand[] = [
  {
    name: 'org',
    summary: 'organizations; each has its own issuer',
    load: async () => [(await import('./commands/organizations.js')).organizationCommands],
    loadOthers: async () => (await import('./commands/whole-organizations.js')).wholeOrganizationCommands,
  },
  {
    name: 'apply',
    summary: 'make an organization as a file declares it',
    load: async () => [(await import('./commands/apply.js')).applyCommand],
  },
  {
    name: 'app',
    summary: 'apps of an organization',
    load: async () => [(await import('./commands/apps.js')).appCommands],
  },
  {
    name: 'grant',
    summary: 'operations that an app may use',
    load: async () => [(await import('./commands/grants.js')).grantCommands],
  },
  {
    name: 'group',
    summary: 'groups of people, which can be assigned to apps',
    load: async () => [(await import('./commands/groups.js')).groupCommands],
  },
  {
    name: 'assignment',
    summary: 'who may sign in to an app of audience people',
    load: async () => [(await import('./commands/assignments.js')).assignmentCommands],
  },
  {
    name: 'access-request',
    summary: 'access to apps that people request for a time',
    load: async () => [(await import('./commands/access-requests.js')).accessRequestCommands],
  },
  {
    name: 'secret',
    summary: 'client secrets of apps, and their rotation',
    load: async () => [(await import('./commands/secrets.js')).secretCommands],
  },
  {
    name: 'secrets',
    summary: 'the keys, passwords and seeds of a deployment, and their rotation',
    load: async () => [
      (await import('./commands/deployment-secrets.js')).deploymentSecretCommands,
      (await import('./commands/secret-rotation.js')).secretRotationCommands,
    ],
  },
  {
    name: 'doctor',
    summary: 'check a deployment, and say what is wrong with it',
    load: async () => [(await import('./commands/doctor.js')).doctorCommand],
  },
  {
    name: 'support-bundle',
    summary: 'write an archive about a deployment that can be sent to support',
    load: async () => [(await import('./commands/support-bundle.js')).supportBundleCommand],
  },
  {
    name: 'smoke',
    summary: 'check a deployment as an app would',
    load: async () => [(await import('./commands/smoke.js')).smokeCommand],
  },
  {
    name: 'type',
    summary: 'credential types of an organization',
    load: async () => [(await import('./commands/types.js')).typeCommands],
  },
  {
    name: 'offer',
    summary: 'open offers to customers of every app',
    load: async () => [(await import('./commands/offers.js')).offerCommands],
  },
  {
    name: 'explain',
    summary: 'why a customer can or cannot sign in, and what to do',
    load: async () => [(await import('./commands/explain.js')).explainCommand],
  },
  {
    name: 'person',
    summary: 'people of an organization: invitations, roles, recovery',
    load: async () => [(await import('./commands/people.js')).personCommands],
  },
  {
    name: 'presence',
    summary: 'whether customers show that they are human',
    load: async () => [(await import('./commands/presence.js')).presenceCommands],
  },
  {
    name: 'key',
    summary: "signing keys of an organization's issuer, or of the platform's",
    load: async () => [(await import('./commands/keys.js')).keyCommands],
  },
  {
    name: 'audit',
    summary: "an organization's audit log: keys, checkpoints, export, verification, destinations, readers, retention",
    load: async () => [
      (await import('./commands/audit.js')).auditCommands,
      (await import('./commands/audit-partitions.js')).auditPartitionCommands,
      (await import('./commands/sign-again.js')).signAgainCommand,
    ],
  },
  {
    name: 'demo',
    summary: 'two demo organizations',
    load: async () => [(await import('./commands/demo.js')).demoCommands],
  },
  {
    name: 'bus',
    summary: 'the message bus (NATS)',
    load: async () => [(await import('./commands/bus.js')).busCommands],
  },
  {
    name: 'events',
    summary: 'domain events that a service cannot apply',
    load: async () => [(await import('./commands/events.js')).eventCommands],
  },
  {
    name: 'webhook',
    summary: 'webhook endpoints of an organization',
    load: async () => [(await import('./commands/webhooks.js')).webhookCommands],
  },
  {
    name: 'ssf',
    summary: 'streams of security events (Shared Signals), and their tokens',
    load: async () => [(await import('./commands/ssf.js')).ssfCommands],
  },
  {
    name: 'database',
    summary: 'the database (PostgreSQL)',
    load: async () => [
      (await import('./commands/database.js')).databaseCommands,
      (await import('./commands/database-rewrite.js')).databaseRewriteCommand,
    ],
  },
  {
    name: 'backup',
    summary: 'what a backup of the database needs besides',
    load: async () => [(await import('./commands/restore.js')).backupCommands],
  },
  {
    name: 'restore',
    summary: 'the steps after the restore of a backup, before services start',
    load: async () => [(await import('./commands/restore.js')).restoreCommand],
  },
  {
    name: 'analytics',
    summary: 'the numbers that audit counts from the logs',
    load: async () => [(await import('./commands/analytics.js')).analyticsCommands],
  },
];

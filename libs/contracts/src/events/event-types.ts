import { z } from 'zod';
import { credentialTypeName, instant, uuid } from '../fields.js';
import { roleNames } from '../roles.js';

const customer = { subject: uuid.describe('The customer') };
const credential = {
  ...customer,
  credentialId: uuid.describe('The credential'),
  credentialType: credentialTypeName.describe('Its type'),
};
const expiring = { ...credential, expiresAt: instant.optional().describe('When it expires, if it does') };
const held = { ...credential, passkeys: z.int().describe('How many passkeys hold it now') };
const offer = { ...credential, offerId: uuid.describe('The offer') };
const app = { app: z.string().describe('Client ID of the app') };
const user = { user: uuid.describe('The person') };
const group = { group: uuid.describe('The group') };
const roles = z.array(z.enum(roleNames));
const assignment = {
  ...app,
  assignment: uuid.describe('The assignment'),
  user: uuid.optional().describe('The person who is assigned; absent when a group is'),
  group: uuid.optional().describe('The group that is assigned; absent when a person is'),
};
const auditExport = { export: uuid.describe('The export') };
const accessRequest = { ...user, ...app, accessRequest: uuid.describe('The access request') };

export interface EventDefinition {
  producer: string;
  description: string;
  /**
   * Schema of the public event, as the event feed delivers it: ids and states, never a reason, a name or an address. An
   * event without it is internal.
   */
  data: z.ZodType | undefined;
  /**
   * When every consumer has applied the event, the relay keeps its outbox row and marks it as confirmed. The producer
   * deletes the row in the transaction that records its own confirmation. Without this flag the relay deletes the row.
   */
  confirmedByProducer?: true;
}

/** Every event that a service emits. docs/reference/events.md is generated from it. */
export const eventTypes = {
  'offer.created': {
    producer: 'issuance',
    description: 'An offer was made to a customer',
    data: z.strictObject({
      ...offer,
      adds: z.literal(true).optional().describe('Its claim adds a passkey, and the earlier ones stay'),
      expiresAt: instant.describe('When the offer expires'),
    }),
  },
  'offer.expired': { producer: 'issuance', description: 'An offer expired', data: z.strictObject(offer) },
  'offer.withdrawn': {
    producer: 'issuance',
    description:
      'An offer was withdrawn by the app or by an administrator, superseded by a later one, or ended with its ' +
      'credential or with the right that it needed',
    data: z.strictObject({
      ...offer,
      cause: z
        .enum(['withdrawn', 'superseded', 'credential', 'maker'])
        .describe(
          '`credential`: it was suspended or revoked; `maker`: the app that made the offer may not make such offers ' +
            'any more',
        ),
    }),
  },
  'credential.issued': {
    producer: 'issuance',
    description: 'A customer claimed a credential',
    data: z.strictObject(expiring),
  },
  'credential.renewed': {
    producer: 'issuance',
    description: 'A sign-in renewed a credential: another document number, a later expiration',
    data: z.strictObject(expiring),
  },
  'credential.rekeyed': {
    producer: 'issuance',
    description: 'A customer moved a credential to a new passkey (recovery)',
    data: z.strictObject(expiring),
  },
  'credential.passkey_added': {
    producer: 'issuance',
    description: 'A customer added a passkey to a credential, and the earlier ones stay',
    data: z.strictObject(held),
  },
  'credential.passkey_removed': {
    producer: 'issuance',
    description: 'A customer removed a passkey of a credential: the sessions that began with it have ended',
    data: z.strictObject(held),
  },
  'credential.suspended': {
    producer: 'issuance',
    description: 'A credential was suspended',
    data: z.strictObject(credential),
  },
  'credential.resumed': {
    producer: 'issuance',
    description: 'A credential was resumed',
    data: z.strictObject(expiring),
  },
  'credential.revoked': {
    producer: 'issuance',
    description: 'A credential was revoked',
    data: z.strictObject(credential),
  },
  'credential.expired': { producer: 'issuance', description: 'A credential expired', data: z.strictObject(expiring) },
  'subject.erasure_started': {
    producer: 'issuance',
    description: 'Erasure started: issuance has deleted the customer, and every consumer deletes them',
    data: undefined,
    confirmedByProducer: true,
  },
  'subject.erased': {
    producer: 'issuance',
    description: 'Erasure confirmation: every service has deleted the customer',
    data: z.strictObject(customer),
  },
  'credential_type.created': { producer: 'issuance', description: 'A credential type was created', data: undefined },
  'credential_type.updated': { producer: 'issuance', description: 'A credential type was changed', data: undefined },
  'presence_policy.updated': {
    producer: 'issuance',
    description: 'The policy of proof of presence was changed',
    data: undefined,
  },
  'organization.created': { producer: 'directory', description: 'An organization was created', data: undefined },
  'organization.updated': {
    producer: 'directory',
    description: 'An organization was suspended or resumed, or its RP ID was changed',
    data: undefined,
  },
  'app.created': { producer: 'directory', description: 'An app was created', data: z.strictObject(app) },
  'app.updated': {
    producer: 'directory',
    description: 'An app, its grants or its secrets changed',
    data: z.strictObject(app),
  },
  'app.deleted': {
    producer: 'directory',
    description:
      'An app was deleted: nobody can use it any more. An event for each of its assignments and pending access ' +
      'requests follows',
    data: z.strictObject(app),
  },
  'user.invited': {
    producer: 'directory',
    description: 'A person was invited, or got a new link for recovery',
    data: z.strictObject(user),
  },
  'user.activated': {
    producer: 'directory',
    description: 'A person accepted the invitation with a passkey, or recovered with a new one',
    data: z.strictObject(user),
  },
  'user.updated': {
    producer: 'directory',
    description: "A person's e-mail address, name or passkeys changed",
    data: z.strictObject(user),
  },
  'user.deactivated': { producer: 'directory', description: 'A person was deactivated', data: z.strictObject(user) },
  'user.reactivated': { producer: 'directory', description: 'A person was reactivated', data: z.strictObject(user) },
  'user.erasure_started': {
    producer: 'directory',
    description: 'Removal started: directory has deleted the person, and every consumer deletes them',
    data: undefined,
    confirmedByProducer: true,
  },
  'user.removed': {
    producer: 'directory',
    description:
      'Every service has deleted the removed person. Their memberships, assignments and access requests ended with ' +
      'them and have no events of their own: an erasure deletes every earlier event that names the person',
    data: z.strictObject(user),
  },
  'role.changed': {
    producer: 'directory',
    description: 'The roles of a person changed',
    data: z.strictObject({ ...user, roles: roles.describe('The roles that the person has now') }),
  },
  'group.created': { producer: 'directory', description: 'A group was created', data: z.strictObject(group) },
  'group.updated': {
    producer: 'directory',
    description: 'The name or description of a group changed',
    data: z.strictObject(group),
  },
  'group.deleted': {
    producer: 'directory',
    description: 'A group was deleted, and its assignments have ended. An event for each of its members follows',
    data: z.strictObject(group),
  },
  'group.member_added': {
    producer: 'directory',
    description: 'A person became a member of a group',
    data: z.strictObject({ ...user, ...group }),
  },
  'group.member_removed': {
    producer: 'directory',
    description: 'A person is no longer a member of a group',
    data: z.strictObject({ ...user, ...group }),
  },
  'assignment.created': {
    producer: 'directory',
    description: 'A person or group was assigned to an app',
    data: z.strictObject({
      ...assignment,
      expiresAt: instant.optional().describe('When the assignment ends by itself'),
    }),
  },
  'assignment.ended': {
    producer: 'directory',
    description: 'An assignment was removed, ended by itself, or ended with its app or group',
    data: z.strictObject({
      ...assignment,
      cause: z.enum(['removed', 'expired', 'app_deleted', 'group_deleted']).describe('Why it ended'),
    }),
  },
  'access_request.created': {
    producer: 'directory',
    description: 'A person requested access to an app',
    data: z.strictObject(accessRequest),
  },
  'access_request.approved': {
    producer: 'directory',
    description: 'An access request was approved',
    data: z.strictObject({ ...accessRequest, assignment: uuid.describe('The assignment that it created') }),
  },
  'access_request.denied': {
    producer: 'directory',
    description: 'An access request was denied',
    data: z.strictObject(accessRequest),
  },
  'access_request.withdrawn': {
    producer: 'directory',
    description: 'A person withdrew an access request',
    data: z.strictObject(accessRequest),
  },
  'access_request.expired': {
    producer: 'directory',
    description: 'Nobody decided an access request in time',
    data: z.strictObject(accessRequest),
  },
  'access_request.cancelled': {
    producer: 'directory',
    description: 'A pending access request ended, because its app was deleted',
    data: z.strictObject(accessRequest),
  },
  'audit.export.created': {
    producer: 'audit',
    description: 'An export of the audit log was requested',
    data: z.strictObject(auditExport),
  },
  'audit.export.ready': {
    producer: 'audit',
    description: 'The file of an export of the audit log is ready to be downloaded',
    data: z.strictObject({ ...auditExport, expiresAt: instant.describe('When the file is deleted') }),
  },
  'audit.export.failed': {
    producer: 'audit',
    description: 'An export of the audit log has failed, and has no file',
    data: z.strictObject(auditExport),
  },
  'audit.export.expired': {
    producer: 'audit',
    description: 'The file of an export of the audit log was deleted, or the export was canceled',
    data: z.strictObject({
      ...auditExport,
      cause: z
        .enum(['canceled', 'deleted', 'age', 'erasure'])
        .describe('`erasure`: a customer or person was erased, so delete your copies of the file as well'),
    }),
  },
  'audit.destination.failing': {
    producer: 'signals',
    description: 'A destination of the audit log has confirmed nothing for an hour, and is tried again without end',
    data: z.strictObject({
      destination: uuid.describe('The destination'),
      failingSince: instant.describe('When the first of its failed attempts was made'),
    }),
  },
  'webhook_endpoint.disabled': {
    producer: 'signals',
    description: 'A webhook endpoint was disabled because of what its receiver answers: it gets nothing any more',
    data: z.strictObject({
      endpoint: uuid.describe('The endpoint'),
      cause: z
        .enum(['gone', 'failures'])
        .describe('`gone`: the receiver answered 410; `failures`: nothing but failures for five days'),
    }),
  },
} as const satisfies Record<string, EventDefinition>;
export type EventType = keyof typeof eventTypes;

/** The public data of an event of this type. */
export type EventData<T extends EventType> = (typeof eventTypes)[T]['data'] extends z.ZodType
  ? z.output<(typeof eventTypes)[T]['data']>
  : undefined;

import { z } from 'zod';
import { auditRecordSchema } from '../audit/audit-record.js';
import { instant, uuid } from '../fields.js';
import { subjectStateSchema } from '../issuance/customers.js';
import { eventTypes, type EventDefinition, type EventType } from './event-types.js';

/** The JetStream subject of an event. */
export function eventSubject(producer: string, type: string): string {
  return `evt.${producer}.${type}`;
}

/** Subjects of a producer's events whose outbox rows the producer deletes itself (`confirmedByProducer`). */
export function producerConfirmedSubjects(producer: string): string[] {
  return Object.entries<EventDefinition>(eventTypes)
    .filter(([, event]) => event.producer === producer && event.confirmedByProducer)
    .map(([type]) => eventSubject(producer, type));
}

const base = {
  id: z.uuid().describe('The event; the same id again is the same event'),
  occurredAt: instant.describe('When it happened'),
  org: z.string().describe('shortId of the organization'),
  version: z
    .int()
    .describe(
      'Version of the customer, app, organization or setting; each event increments it. A projection applies ' +
        'newer versions and skips the others',
    ),
  requestId: z.string().describe('X-Request-Id of the request that caused it'),
  traceparent: z.string().describe('W3C Trace Context of that request'),
  audit: auditRecordSchema
    .optional()
    .describe('The audit record of the change: it commits with the event, as part of the same row'),
  data: z.record(z.string(), z.json()).optional().describe('Its public data, by the schema of its type'),
};

// The schemas are loose, so that older consumers ignore members that a newer producer adds (CONTRIBUTING,
// deployability).

const customerEventTypes = [
  'offer.created',
  'offer.expired',
  'offer.withdrawn',
  'credential.issued',
  'credential.renewed',
  'credential.rekeyed',
  'credential.passkey_added',
  'credential.passkey_removed',
  'credential.suspended',
  'credential.resumed',
  'credential.revoked',
  'credential.expired',
  'subject.erasure_started',
  'subject.erased',
] as const satisfies EventType[];

/** Event about a customer: their whole public state, or that they are erased. */
export const customerEventSchema = z.looseObject({
  ...base,
  type: z.enum(customerEventTypes).describe('What happened'),
  subject: uuid.describe('The customer'),
  state: subjectStateSchema.optional().describe("The customer's public state; absent after an erasure"),
  replacesPasskeys: z
    .boolean()
    .optional()
    .describe('Earlier passkeys are revoked, and with them the sessions that they opened'),
  removedPasskey: z
    .string()
    .optional()
    .describe('Internal: the passkey that was removed, and with it the sessions that it opened'),
});
export type CustomerEvent = z.infer<typeof customerEventSchema>;

/** Event about a setting of an organization. */
const settingEventSchema = z.looseObject({
  ...base,
  type: z
    .enum(['credential_type.created', 'credential_type.updated', 'presence_policy.updated'])
    .describe('What happened'),
  setting: z.string().describe('Which one, such as `credential_type/customer`'),
});
export type SettingEvent = z.infer<typeof settingEventSchema>;

export const issuanceEventSchema = z.union([customerEventSchema, settingEventSchema]);
export type IssuanceEvent = z.infer<typeof issuanceEventSchema>;

/** The types of events about a person. Their `version` is that of the person. */
const personEventTypes = [
  'user.invited',
  'user.activated',
  'user.updated',
  'user.deactivated',
  'user.reactivated',
  'user.erasure_started',
  'user.removed',
  'role.changed',
  'group.member_added',
  'group.member_removed',
  'access_request.created',
  'access_request.approved',
  'access_request.denied',
  'access_request.withdrawn',
  'access_request.expired',
  'access_request.cancelled',
] as const satisfies EventType[];

/**
 * Event of directory: ids only. It is about the person when `user` is there, else about the group, the app or the
 * organization, and its `version` is that of this aggregate. So the erasure of a person reaches every event that names
 * them.
 */
export const directoryEventSchema = z.looseObject({
  ...base,
  type: z
    .enum([
      'organization.created',
      'organization.updated',
      'app.created',
      'app.updated',
      'app.deleted',
      ...personEventTypes,
      'group.created',
      'group.updated',
      'group.deleted',
      'assignment.created',
      'assignment.ended',
    ])
    .describe('What happened'),
  user: uuid.optional().describe('The person'),
  group: uuid.optional().describe('The group; absent when it is about a person'),
  app: z.string().optional().describe('Client ID of the app, if one is concerned'),
  operations: z
    .array(z.string())
    .optional()
    .describe(
      'Internal: what the app may still do, in an event by which it has lost rights; nothing while it is disabled',
    ),
});
export type DirectoryEvent = z.infer<typeof directoryEventSchema>;

/** Event of audit about an export. */
export const auditServiceEventSchema = z.looseObject({
  ...base,
  type: z
    .enum(['audit.export.created', 'audit.export.ready', 'audit.export.failed', 'audit.export.expired'])
    .describe('What happened'),
  export: uuid.describe('The export'),
});
export type AuditServiceEvent = z.infer<typeof auditServiceEventSchema>;
export type DomainEvent = IssuanceEvent | DirectoryEvent | AuditServiceEvent;

/**
 * Whether consumers must delete the customer. The erasure confirmation counts too: producers of earlier versions
 * emitted no other event of an erasure.
 */
export function isErasureEvent({ type }: DomainEvent): boolean {
  return (
    type === 'subject.erasure_started' ||
    type === 'subject.erased' ||
    type === 'user.erasure_started' ||
    type === 'user.removed'
  );
}

/** The customer or person whom an event is about. */
export function dataSubjectOfEvent(event: DomainEvent): string | undefined {
  if (isCustomerEvent(event)) return event.subject;
  return isDirectoryEvent(event) ? event.user : undefined;
}

/** The id of what an event is about: the version of the event counts its changes. The organization when undefined. */
export function aggregateOf(event: DomainEvent): string | undefined {
  if (isAuditServiceEvent(event)) return event.export;
  if (!isDirectoryEvent(event)) return isCustomerEvent(event) ? event.subject : event.setting;
  return event.user ?? event.group ?? event.app;
}

/** Whether an event is about a customer. The type decides, since the loose schemas accept any member. */
export function isCustomerEvent(event: DomainEvent): event is CustomerEvent {
  return (customerEventTypes as readonly string[]).includes(event.type);
}

/** Whether audit emitted the event. The type decides. */
function isAuditServiceEvent(event: DomainEvent): event is AuditServiceEvent {
  return eventTypes[event.type].producer === 'audit';
}

/** Whether directory emitted the event. The type decides. */
function isDirectoryEvent(event: DomainEvent): event is DirectoryEvent {
  return eventTypes[event.type].producer === 'directory';
}

import { z } from 'zod';
import { auditRecordSchema } from '../audit/audit-record.js';
import { credentialTypeName, instant, uuid } from '../fields.js';
import { subjectStateSchema } from '../issuance/customers.js';

const customer = { subject: uuid.describe('The customer') };
const credential = {
  ...customer,
  credentialId: uuid.describe('The credential'),
  credentialType: credentialTypeName.describe('Its type'),
};
const expiring = { ...credential, expiresAt: instant.optional().describe('When it expires, if it does') };
const offer = { ...credential, offerId: uuid.describe('The offer') };
const app = { app: z.string().describe('Client ID of the app') };

interface EventDefinition {
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
    data: z.strictObject({ ...offer, expiresAt: instant.describe('When the offer expires') }),
  },
  'offer.expired': { producer: 'issuance', description: 'An offer expired', data: z.strictObject(offer) },
  'offer.withdrawn': {
    producer: 'issuance',
    description: 'An offer was withdrawn by the app, superseded by a later one, or closed with its credential',
    data: z.strictObject({
      ...offer,
      cause: z.enum(['withdrawn', 'superseded', 'credential']).describe('`credential`: it was suspended or revoked'),
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
} as const satisfies Record<string, EventDefinition>;
export type EventType = keyof typeof eventTypes;

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

/** The public data of an event of this type. */
export type EventData<T extends EventType> = (typeof eventTypes)[T]['data'] extends z.ZodType
  ? z.output<(typeof eventTypes)[T]['data']>
  : undefined;

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

/** Event about an organization or app: ids only. */
export const directoryEventSchema = z.looseObject({
  ...base,
  type: z
    .enum(['organization.created', 'organization.updated', 'app.created', 'app.updated'])
    .describe('What happened'),
  app: z.string().optional().describe('Client ID of the app; absent when it is about the organization'),
});
export type DirectoryEvent = z.infer<typeof directoryEventSchema>;
export type DomainEvent = IssuanceEvent | DirectoryEvent;

/**
 * Whether consumers must delete the customer. The erasure confirmation counts too: producers of earlier versions
 * emitted no other event of an erasure.
 */
export function isErasureEvent({ type }: DomainEvent): boolean {
  return type === 'subject.erasure_started' || type === 'subject.erased';
}

/** Whether an event is about a customer. The type decides, since the loose schemas accept any member. */
export function isCustomerEvent(event: DomainEvent): event is CustomerEvent {
  return (customerEventTypes as readonly string[]).includes(event.type);
}

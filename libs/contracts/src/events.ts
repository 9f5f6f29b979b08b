import { z } from 'zod';
import { auditRecordSchema } from './audit-record.js';
import { subjectStateSchema } from './customers.js';
import { instant, uuid } from './fields.js';

/** The one catalogue of events (product: webhooks, Shared Signals and the pull feed all read it); docs are generated. */
export const eventTypes = {
  'offer.created': { by: 'issuance', says: 'An offer was made to a customer' },
  'credential.issued': { by: 'issuance', says: 'A customer claimed a credential' },
  'credential.rekeyed': { by: 'issuance', says: 'A customer moved a credential to a new passkey (recovery)' },
  'offer.withdrawn': { by: 'issuance', says: 'An offer was withdrawn by the app, or superseded by a later one' },
  'subject.erased': { by: 'issuance', says: 'A customer was erased' },
  'organization.created': { by: 'directory', says: 'An organization was created' },
  'organization.updated': { by: 'directory', says: 'An organization was suspended or resumed' },
  'app.created': { by: 'directory', says: 'An app was created' },
  'app.updated': { by: 'directory', says: 'An app, its grants or its secrets changed' },
} as const;
export type EventType = keyof typeof eventTypes;

const base = {
  id: z.uuid().describe('The event; the same id again is the same event'),
  occurredAt: instant.describe('When it happened'),
  org: z.string().describe('shortId of the organization'),
  version: z.int().describe('Of the customer, app or organization: a projection applies what is newer and passes over the rest'),
  requestId: z.string().describe('X-Request-Id of the request that caused it'),
  traceparent: z.string().describe('W3C Trace Context of that request'),
  audit: auditRecordSchema.optional().describe('The audit record of the change: it commits with the event because it is one row with it'),
};

// Loose: what a newer producer adds passes through older consumers instead of blocking them (CONTRIBUTING, deployability).

/** What issuance says: the whole public state of one customer, or that it is erased. */
export const issuanceEventSchema = z.looseObject({
  ...base,
  type: z.enum(['offer.created', 'offer.withdrawn', 'credential.issued', 'credential.rekeyed', 'subject.erased']).describe('What happened'),
  subject: uuid.describe('The customer'),
  state: subjectStateSchema.optional().describe('All that others may know of the customer now; absent once erased'),
});
export type IssuanceEvent = z.infer<typeof issuanceEventSchema>;

/** What directory says: which organization or app changed, ids only. */
export const directoryEventSchema = z.looseObject({
  ...base,
  type: z.enum(['organization.created', 'organization.updated', 'app.created', 'app.updated']).describe('What happened'),
  app: z.string().optional().describe('Client ID of the app; absent when it is about the organization'),
});
export type DirectoryEvent = z.infer<typeof directoryEventSchema>;
export type HouseEvent = IssuanceEvent | DirectoryEvent;

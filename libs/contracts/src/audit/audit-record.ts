import { z } from 'zod';
import { actorSchema, requestInfoSchema } from '../context.js';
import { instant } from '../fields.js';
import { actionNames } from './actions.js';

export const outcomes = ['success', 'denied', 'failure'] as const;

/**
 * The object of an action. `dataSubject` says that the id belongs to a customer or person: the log then stores a random
 * pseudonym instead, and an erasure deletes the mapping to the id.
 */
export const auditTargetSchema = z.strictObject({
  type: z
    .enum([
      'customer',
      'credential',
      'offer',
      'person',
      'passkey',
      'group',
      'assignment',
      'access_request',
      'app',
      'secret',
      'organization',
      'audit_event',
      'audit_destination',
      'audit_export',
      'audit_reader',
      'credential_type',
      'ssf_stream',
      'webhook_endpoint',
      'webhook_message',
    ])
    .describe('What it is'),
  id: z.string().describe('Which one'),
  dataSubject: z.string().optional().describe('The customer or person to whom the id belongs'),
});
export type AuditTarget = z.infer<typeof auditTargetSchema>;

/**
 * Size of the largest record, as JSON. A change whose record would be larger is refused: nothing of a record is left
 * out, and one organization's records must not take the memory and time of the reads of others (product §7).
 */
export const maxAuditRecordBytes = 65_536;

/** Old and new value of each changed field. Never a secret or a customer's id. */
const changesSchema = z.record(
  z.string(),
  z.strictObject({ from: z.json().optional().describe('Before'), to: z.json().optional().describe('After') }),
);

/** A record as a handler or the gateway writes it, before it is appended to the log. */
export const auditRecordSchema = z.strictObject({
  id: z.uuid().describe('The event'),
  occurredAt: instant.describe('When it happened'),
  action: z.enum(actionNames).describe('What was done; the list may grow'),
  actor: actorSchema.describe('Who did it'),
  targets: z.array(auditTargetSchema).describe('What it was done to'),
  outcome: z
    .strictObject({
      result: z
        .enum(outcomes)
        .describe(
          '`denied`: refused because of who the caller is; `failure`: refused because of what was requested, or an ' +
            'internal error',
        ),
      status: z.int().optional().describe('HTTP status of the response'),
      code: z.string().optional().describe('Error code of the response'),
      count: z.int().optional().describe('How many requests this record stands for'),
      replay: z
        .literal(true)
        .optional()
        .describe('The response is that of an earlier request with the same Idempotency-Key: nothing was done again'),
    })
    .describe('How it ended'),
  request: requestInfoSchema.describe('How it came in'),
  changes: changesSchema
    .optional()
    .describe(
      'Of each field that changed: before and after. Never a secret. Of a list of more than 4 kB, `from` has its ' +
        '`count` and what was `removed`, and `to` its `count` and what was `added`',
    ),
});
export type AuditRecord = z.infer<typeof auditRecordSchema>;

const pseudonym = z
  .string()
  .optional()
  .describe('Its pseudonym. The record of an erasure, and every later one, has it as `id`');

/** A record as it is read back. */
export const auditEventSchema = auditRecordSchema
  .extend({
    seq: z.int().describe("Position in the organization's log: 1, 2, 3 … without a gap"),
    request: requestInfoSchema.omit({ callerId: true, callerTraceparent: true }).describe('How it came in'),
    actor: actorSchema.extend({ pseudonym }).describe('Who did it'),
    targets: z
      .array(auditTargetSchema.omit({ dataSubject: true }).extend({ pseudonym }))
      .describe("A customer's ids, or their pseudonyms once the customer is erased"),
  })
  .meta({ id: 'AuditEvent' });
export type AuditEvent = z.infer<typeof auditEventSchema>;

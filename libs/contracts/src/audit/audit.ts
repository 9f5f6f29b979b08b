import { z } from 'zod';
import { command, query } from '../contract.js';
import { pageLimit, uuid } from '../fields.js';
import { actionNames, operatorReads } from './actions.js';
import { auditEventSchema, auditRecordSchema, auditTargetSchema, outcomes } from './audit-record.js';
import { logGrowthSchema } from './log-growth.js';
import { readTimeoutMs } from './read-timeout.js';

/**
 * Records without an event: reads, denied requests, tokens. The reply means that each is appended to the log.
 * `provisional`: the caller does not know whether a handler committed the change and wrote the record itself. Audit
 * waits a while for the handler's record, which wins. `committed`: the change is made, so audit keeps the record even
 * if the organization's log is damaged and cannot take it yet. When any other record is rejected, the rest may have
 * been appended: the reply is `invalid_request`, and the caller sends the records again in smaller parts.
 */
export const appendRecords = command({
  service: 'audit',
  name: 'append-records',
  callers: ['gateway', 'auth', 'issuance', 'signals'],
  request: z.strictObject({
    records: z
      .array(
        z.strictObject({
          org: z.string(),
          record: auditRecordSchema,
          provisional: z.boolean().optional(),
          committed: z.boolean().optional(),
        }),
      )
      .max(1000),
  }),
  reply: z.strictObject({}),
  // Reads and denied requests wait for it: without audit they get 503 within two seconds (product §7).
  timeoutMs: 1500,
  // A record is appended once by its id.
  repeatable: true,
  exemptFromOutgoingLimits: true,
  organizationsOf: ({ records }) => records.map(({ org }) => org),
});

/**
 * Denied requests of unauthenticated callers, and what anybody may do without a token (look up a claim link, request a
 * challenge). They are counted, since single records would let anybody fill the log. Each record stands for one actor,
 * route, reason and minute, has the same id in every process, and carries the count so far. The reply means that the
 * counts are stored; the record is appended after its minute, with the counts of all sources.
 */
export const countDeniedRequests = command({
  service: 'audit',
  name: 'count-denied-requests',
  callers: ['gateway', 'auth'],
  request: z.strictObject({
    source: z.uuid().describe('The process that counted: its later counts replace its earlier ones'),
    deniedRequests: z.array(z.strictObject({ org: z.string(), record: auditRecordSchema })).max(500),
  }),
  reply: z.strictObject({}),
  // As with appendRecords.
  timeoutMs: 1500,
  exemptFromOutgoingLimits: true,
  organizationsOf: ({ deniedRequests }) => deniedRequests.map(({ org }) => org),
});

/** RFC 3339 allows any offset. PostgreSQL accepts only offsets of existing zones, and no year 0, so it gets UTC. */
export const anyInstant = z.iso
  .datetime({ offset: true, abort: true })
  .refine((time) => /^(?!0000)\d{4}-/.test(new Date(time).toISOString()), 'must lie in the years 1 to 9999, in UTC')
  .overwrite((time) => new Date(time).toISOString());

/**
 * Records what the operator reads of an organization without passing the gateway. Actor, request and organization come
 * from the context. The reply means that the record is appended; the response must not leave before (product §7).
 */
export const recordOperatorRead = command({
  service: 'audit',
  name: 'record-operator-read',
  callers: ['auth', 'directory', 'issuance', 'signals', 'subjects'],
  request: z.strictObject({ action: z.enum(operatorReads), targets: z.array(auditTargetSchema).max(1) }),
  reply: z.strictObject({}),
  // As with appendRecords.
  timeoutMs: 1500,
  exemptFromOutgoingLimits: true,
});

export const auditFilterSchema = z.strictObject({
  action: z.enum(actionNames).optional().describe('Only this action'),
  actor: z.string().max(128).optional().describe('Only what this actor did: the client ID of an app'),
  target: z
    .string()
    .max(128)
    .optional()
    .describe('Only what was done to this: the id of a customer, offer, credential or app'),
  outcome: z.enum(outcomes).optional().describe('Only this outcome'),
  from: anyInstant.optional().describe('Only what happened at this time or later, RFC 3339'),
  to: anyInstant.optional().describe('Only what happened before this time, RFC 3339'),
});
export type AuditFilter = z.infer<typeof auditFilterSchema>;

export const listAuditEvents = query({
  service: 'audit',
  timeoutMs: readTimeoutMs,
  dividedByOrganization: true,
  name: 'list-events',
  callers: ['gateway'],
  request: z.strictObject({
    filter: auditFilterSchema,
    limit: pageLimit,
    before: z.int().optional().describe('Only entries with a smaller `seq`'),
  }),
  reply: z.strictObject({ items: z.array(auditEventSchema), next: z.int().optional() }),
});

/** The log in the order of `seq`, for readers who follow it. */
export const followAuditEvents = query({
  service: 'audit',
  timeoutMs: readTimeoutMs,
  dividedByOrganization: true,
  name: 'follow-events',
  callers: ['gateway', 'operator', 'signals'],
  request: z.strictObject({
    filter: auditFilterSchema,
    limit: pageLimit,
    after: z.int().min(0).optional().describe('Only entries with a larger `seq`; absent for the end of the log'),
    named: z
      .boolean()
      .describe('Whether customers and people have their ids and personal values, or their pseudonyms only'),
  }),
  reply: z.strictObject({
    items: z.array(auditEventSchema),
    after: z.int().describe('Up to this `seq`, no entry besides `items` matches the filter'),
    hasMore: z.boolean().describe('Whether the log has more entries after it'),
  }),
});

/** The ends of logs, in the order of their organizations: of those in `orgs`, or of all. */
export const listAuditLogs = query({
  service: 'audit',
  timeoutMs: readTimeoutMs,
  name: 'list-logs',
  callers: ['signals', 'operator'],
  request: z.strictObject({
    orgs: z.array(z.string()).max(500).optional().describe('Only the logs of these organizations'),
    after: z.string().optional().describe('Only organizations after this one'),
    limit: z.int().min(1).max(500),
  }),
  reply: z.strictObject({ logs: logGrowthSchema.describe('Organization and newest `seq`') }),
});

export const getAuditEvent = query({
  service: 'audit',
  timeoutMs: readTimeoutMs,
  dividedByOrganization: true,
  name: 'get-event',
  callers: ['gateway'],
  request: z.strictObject({ id: uuid.describe('The event') }),
  reply: auditEventSchema,
  errors: ['unknown_event'],
});

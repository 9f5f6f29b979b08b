import { z } from 'zod';
import { actionNames, auditEventSchema, auditRecordSchema, outcomes } from './audit-record.js';
import { command, query } from './contract.js';
import { pageLimit } from './fields.js';

/**
 * Records that belong to no change: reads, refusals, tokens. The reply means that each has its place in the log.
 * `provisional`: the caller does not know whether a handler committed the change and wrote the record itself; audit then
 * waits a while for the handler's, which wins.
 */
export const appendRecords = command({
  service: 'audit',
  name: 'append-records',
  callers: ['gateway', 'auth'],
  request: z.strictObject({
    records: z.array(z.strictObject({ org: z.string(), record: auditRecordSchema, provisional: z.boolean().optional() })).max(1000),
  }),
  reply: z.strictObject({}),
  timeout: 2000,
});

export const auditFilterSchema = z.strictObject({
  action: z.enum(actionNames).optional().describe('Only this action'),
  actor: z.string().max(128).optional().describe('Only what this actor did: the client ID of an app'),
  target: z.string().max(128).optional().describe('Only what was done to this: the id of a customer, offer, credential or app'),
  outcome: z.enum(outcomes).optional().describe('Only this outcome'),
  from: z.iso.datetime({ offset: true }).optional().describe('Only what happened at this time or later, RFC 3339'),
  to: z.iso.datetime({ offset: true }).optional().describe('Only what happened before this time, RFC 3339'),
});
export type AuditFilter = z.infer<typeof auditFilterSchema>;

export const listAuditEvents = query({
  service: 'audit',
  name: 'list-events',
  callers: ['gateway'],
  request: z.strictObject({ filter: auditFilterSchema, limit: pageLimit, before: z.int().optional().describe('Only places before this one') }),
  reply: z.strictObject({ items: z.array(auditEventSchema), next: z.int().optional() }),
});

export const getAuditEvent = query({
  service: 'audit',
  name: 'get-event',
  callers: ['gateway'],
  request: z.strictObject({ id: z.guid().toLowerCase() }),
  reply: auditEventSchema,
  errors: ['unknown_event'],
});

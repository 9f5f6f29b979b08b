import { z } from 'zod';
import { command, query } from '../contract.js';
import { instant, pageLimit } from '../fields.js';
import { actionNames, operatorReads } from './actions.js';
import { auditEventSchema, auditRecordSchema, auditTargetSchema, outcomes } from './audit-record.js';
import { logGrowthSchema } from './log-growth.js';

/**
 * Timeout of a read of the log. A read also appends a record of itself. While audit hangs, both together must
 * time out within the two seconds after which a caller gets its 503 (product §7).
 */
const readTimeoutMs = 1600;

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
  callers: ['gateway', 'auth', 'signals'],
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
  callers: ['auth', 'directory', 'issuance', 'signals'],
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
  name: 'get-event',
  callers: ['gateway'],
  request: z.strictObject({ id: z.guid().toLowerCase() }),
  reply: auditEventSchema,
  errors: ['unknown_event'],
});

const hash = z.base64().describe('SHA-256, 32 bytes');
/** C2SP tlog-checkpoint: a signed note with origin, size and root. */
const checkpoint = z.string().describe('Signed note (C2SP tlog-checkpoint): origin, size and root hash of the log');

/** The newest checkpoint: it covers every record whose append was confirmed before the request. */
export const auditCheckpoint = query({
  service: 'audit',
  timeoutMs: readTimeoutMs,
  name: 'checkpoint',
  callers: ['gateway', 'operator'],
  request: z.strictObject({
    cosigned: z.boolean().optional().describe('The newest checkpoint that witnesses have cosigned, with their lines'),
  }),
  reply: z.strictObject({ checkpoint }),
  errors: ['unknown_organization', 'unknown_checkpoint'],
});

/** The keys that verify checkpoints of the organization's log: `name+hash+key`, to be pinned. */
export const auditVerifierKeys = query({
  service: 'audit',
  timeoutMs: readTimeoutMs,
  name: 'verifier-keys',
  callers: ['gateway', 'operator'],
  request: z.strictObject({}),
  reply: z.strictObject({
    keys: z.array(z.string()).describe('Verifier keys of signed notes (c2sp.org/signed-note), `name+hash+key`'),
  }),
  errors: ['unknown_organization'],
});

export const auditProofSchema = z
  .strictObject({
    id: z.uuid().describe('The event'),
    seq: z.int().describe('Position in the log; the leaf index in the tree is one less'),
    leaf: z
      .base64()
      .describe(
        'The exact bytes that the log proves; they contain hashes of personal values and pseudonyms in place of ids',
      ),
    hashes: z.array(hash).describe('Inclusion path, from leaf to root (RFC 9162 §2.1.3)'),
    checkpoint,
  })
  .meta({ id: 'AuditProof' });
export type AuditProof = z.infer<typeof auditProofSchema>;

/** Inclusion proof of an event under the newest checkpoint (RFC 9162 §2.1.3). */
export const auditProof = query({
  service: 'audit',
  timeoutMs: readTimeoutMs,
  name: 'proof',
  callers: ['gateway'],
  request: z.strictObject({ id: z.guid().toLowerCase() }),
  reply: auditProofSchema,
  errors: ['unknown_event'],
});

/**
 * Proves that the log of size `to` continues the log of size `from` (RFC 9162 §2.1.4). Both are at least 1, and `to` is
 * at most the current size; otherwise the reply is `invalid_request`.
 */
export const auditConsistency = query({
  service: 'audit',
  timeoutMs: readTimeoutMs,
  name: 'consistency',
  callers: ['gateway', 'operator'],
  request: z.strictObject({ from: z.int().min(1), to: z.int().min(1) }),
  reply: z.strictObject({ hashes: z.array(hash).describe('The proof (RFC 9162 §2.1.4)') }),
  errors: ['invalid_request'],
});

/** The hashes of a tile (C2SP tlog-tiles), 32 bytes each. `width` is below 256 for a partial tile. */
export const auditTile = query({
  service: 'audit',
  timeoutMs: readTimeoutMs,
  name: 'tile',
  callers: ['gateway'],
  request: z.strictObject({ level: z.int().min(0).max(5), index: z.int().min(0), width: z.int().min(1).max(256) }),
  reply: z.strictObject({ hashes: z.base64() }),
  errors: ['unknown_tile'],
});

/**
 * A value and the salt of its hash in the leaf: base64url(SHA-256(salt ‖ UTF-8 of the value)). A pseudonym is the first
 * 16 bytes of the hash, 22 characters.
 */
const saltedValue = z.strictObject({
  value: z.string().describe('The personal value in clear'),
  salt: z.base64().describe('Salt of its hash'),
});

/**
 * One exported entry of the log, with everything that a verifier needs and the log still has. Records of `audit.drop`
 * account for absent leaves: their `changes` name the entries of a class and month that were dropped. Exports of
 * earlier versions lack the optional members.
 */
export const exportedEntrySchema = z
  .strictObject({
    seq: z.int().describe('Position in the log; the leaf index in the tree is one less'),
    leaf: z.base64().optional().describe('The exact bytes; absent when its retention has ended'),
    leafHash: hash.describe(
      'Leaf hash in the tree: shows which entry was changed, and is all that remains after retention',
    ),
    class: z.string().optional().describe('Retention class; the action determines it'),
    month: z.string().optional().describe('Month of its append, such as `2026-11`'),
    lastAt: instant
      .optional()
      .describe('In each 256th entry: the latest time so far, by which a list finds the bounds of a time range'),
    found: z
      .strictObject({
        id: z.string().describe('The event'),
        occurredAt: instant.describe('When it happened'),
        action: z.string().describe('What was done'),
        actor: z.string().describe('Who did it: an id or a pseudonym'),
        outcome: z.string().describe('How it ended'),
        targets: z.array(z.string()).describe('What it was done to: ids or pseudonyms'),
      })
      .optional()
      .describe('Values by which a filter finds the entry; a verifier compares them with the leaf'),
    names: z
      .array(z.strictObject({ pseudonym: z.string().describe('As in the leaf'), ...saltedValue.shape }))
      .optional()
      .describe('Ids behind its pseudonyms, unless their data subjects are erased'),
    personal: z
      .record(z.string(), saltedValue)
      .optional()
      .describe('Its personal values, unless their data subjects are erased'),
  })
  .meta({ id: 'ExportedAuditEntry' });
export type ExportedAuditEntry = z.infer<typeof exportedEntrySchema>;

/** Together with `lastAt`, bounds the entries that a list reads for a time range. */
export const auditLateMs = z
  .int()
  .describe('The largest number of milliseconds by which an entry was appended after a later one');

/** A log that does not continue what was signed before. No further checkpoint of it is signed. */
export const auditBrokenSchema = z.strictObject({
  detail: z.string().describe('What is wrong with it'),
  since: instant.describe('When that was found'),
  unsigned: z.int().min(0).describe('Number of entries after the returned checkpoint: they are unsigned'),
});
export type AuditBroken = z.infer<typeof auditBrokenSchema>;

/**
 * The entries after `after`, in the order of the log, up to the newest checkpoint, which the reply contains. A reply
 * has at most `limit` entries and 800 kB. A broken log is exported up to its last signed checkpoint, which is empty
 * when none can be read.
 */
export const exportAuditEntries = query({
  service: 'audit',
  timeoutMs: readTimeoutMs,
  name: 'export-entries',
  callers: ['gateway', 'operator'],
  request: z.strictObject({ after: z.int().min(0), limit: z.int().min(1).max(500) }),
  reply: z.strictObject({
    entries: z.array(exportedEntrySchema),
    checkpoint,
    hasMore: z.boolean(),
    lateMs: auditLateMs.optional(),
    broken: auditBrokenSchema.optional(),
  }),
});

import { z } from 'zod';
import { command, query } from '../contract.js';
import { instant, pageLimit } from '../fields.js';
import {
  actionNames,
  auditEventSchema,
  auditRecordSchema,
  auditTargetSchema,
  operatorReads,
  outcomes,
} from './audit-record.js';

/**
 * Timeout of a read of the log, in ms. A read also appends a record of itself. While audit hangs, both together must
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
  callers: ['gateway', 'auth'],
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
  // A record is taken once by its id.
  repeatable: true,
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
});

/** Any offset is right in RFC 3339; PostgreSQL takes those of real zones alone, and no year 0. */
const anyInstant = z.iso
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
  callers: ['auth', 'directory', 'issuance'],
  request: z.strictObject({ action: z.enum(operatorReads), targets: z.array(auditTargetSchema).max(1) }),
  reply: z.strictObject({}),
  // As with appendRecords.
  timeoutMs: 1500,
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
  request: z.strictObject({}),
  reply: z.strictObject({ checkpoint }),
  errors: ['unknown_organization'],
});

/** By which checkpoints of the organization's log are verified: `name+hash+key`, to be pinned. */
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
      .describe('The exact bytes that the log proves; absent values stand in them as hashes, names as pseudonyms'),
    hashes: z.array(hash).describe('Inclusion path, from leaf to root (RFC 9162 §2.1.3)'),
    checkpoint,
  })
  .meta({ id: 'AuditProof' });
export type AuditProof = z.infer<typeof auditProofSchema>;

/** Where an event stands under the newest checkpoint (RFC 9162 §2.1.3). */
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
 * That the log of size `to` continues the log of size `from` (RFC 9162 §2.1.4). Both at least 1, `to` at most the size
 * of now: else invalid_request.
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

/** C2SP tlog-tiles: the hashes of a tile, 32 bytes each; `width` of a partial one. */
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
 * A value with the salt that its hash in the leaf was made with: base64url(SHA-256(salt ‖ UTF-8 of the value)), of
 * which a pseudonym is the first 16 bytes, 22 characters.
 */
const opened = z.strictObject({
  value: z.string().describe('The personal value in clear'),
  salt: z.base64().describe('With what it was hashed'),
});

/**
 * One entry of the log as it is exported: all that a verifier needs, and no more than the log still has. Leaves that
 * are absent are accounted for by the records of `audit.drop`, whose `changes` name the entries of a class and month
 * that were dropped. Optional members are missing in exports of earlier versions.
 */
export const exportedEntrySchema = z
  .strictObject({
    seq: z.int().describe('Position in the log; the leaf index in the tree is one less'),
    leaf: z.base64().optional().describe('The exact bytes; absent when its retention has ended'),
    leafHash: hash.describe(
      'Leaf hash in the tree: shows a verifier which entry was changed, and is all that is left after retention',
    ),
    class: z.string().optional().describe('Class of retention in which it lies; it follows from the action'),
    month: z.string().optional().describe('Month of its append, such as `2026-11`'),
    lastAt: instant
      .optional()
      .describe('In each 256th entry: the latest time so far, with which a list finds the bounds of a time range'),
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
      .describe('By what the entry is found when the log is filtered; a verifier compares it with the leaf'),
    names: z
      .array(z.strictObject({ pseudonym: z.string().describe('As it stands in the leaf'), ...opened.shape }))
      .optional()
      .describe('Whom its pseudonyms mean, unless they are erased'),
    personal: z.record(z.string(), opened).optional().describe('Its personal values, unless that person is erased'),
  })
  .meta({ id: 'ExportedAuditEntry' });
export type ExportedAuditEntry = z.infer<typeof exportedEntrySchema>;

/** Together with `lastAt`, bounds the entries that a list reads for a time range. */
export const auditLateMs = z
  .int()
  .describe('The largest number of milliseconds by which an entry was appended after a later one');

/** Of a log that does not continue what was signed before, so that nothing more of it is signed. */
export const auditBrokenSchema = z.strictObject({
  detail: z.string().describe('What is wrong with it'),
  since: instant.describe('When that was found'),
  unsigned: z.int().min(0).describe('Number of entries after the returned checkpoint: they are unsigned'),
});
export type AuditBroken = z.infer<typeof auditBrokenSchema>;

/**
 * The log in its own order, from behind `after`; up to the newest checkpoint, which comes along. A read is bounded by
 * `limit` entries and 800 kB. Of a broken log up to the last checkpoint that was signed, which is empty when none can
 * be read.
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

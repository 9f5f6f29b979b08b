import { z } from 'zod';
import { command, query } from '../contract.js';
import { instant, pageLimit } from '../fields.js';
import {
  actionNames,
  auditEventSchema,
  auditRecordSchema,
  auditTargetSchema,
  operatorReadings,
  outcomes,
} from './audit-record.js';

/**
 * Of a question about the log. While audit hangs, neither this nor the record of having asked is answered: both
 * together must be over within the two seconds in which a caller hears of it (product §7).
 */
const readTimeout = 1600;

/**
 * Records that come without an event: reads, refusals, tokens. The reply means that each has its place in the log.
 * `provisional`: the caller does not know whether a handler committed the change and wrote the record itself; audit
 * then waits a while for the handler's, which wins. `committed`: its change is made, so that audit keeps it even if its
 * log is damaged and refuses it, until that is mended. When any other record is refused, the rest may have their places
 * all the same: `invalid_request`, upon which the caller sends them again in parts.
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
  // Reads and refusals wait for it: with audit away they answer 503 within two seconds (product §7).
  timeout: 1500,
  // A record is taken once by its id.
  repeatable: true,
});

/**
 * Refusals of whom nobody knows, and what anybody may do without being known (look at a claim link, ask for a
 * challenge): counted, or anybody could fill the log. Each record stands for one actor, route, reason
 * and minute, has the same id whoever counts it (refusalId), and carries as its count how many there were so far. The
 * reply means that the counts are kept; the record gets its place when its minute is over, with the counts of all
 * sources.
 */
export const countDeniedRequests = command({
  service: 'audit',
  name: 'count-refusals',
  callers: ['gateway', 'auth'],
  request: z.strictObject({
    source: z.uuid().describe('Which process counted: its later counts replace its earlier ones'),
    refusals: z.array(z.strictObject({ org: z.string(), record: auditRecordSchema })).max(500),
  }),
  reply: z.strictObject({}),
  // As with appendRecords.
  timeout: 1500,
});

/** Any offset is right in RFC 3339; PostgreSQL takes those of real zones alone, and no year 0. */
const anyInstant = z.iso
  .datetime({ offset: true, abort: true })
  .refine((time) => /^(?!0000)\d{4}-/.test(new Date(time).toISOString()), 'must lie in the years 1 to 9999, in UTC')
  .overwrite((time) => new Date(time).toISOString());

/**
 * Of what the operator reads of an organization, past the gateway: who, how and whose log come from the context. The
 * reply means that it has its place; before that the answer may not leave (product §7).
 */
export const recordReading = command({
  service: 'audit',
  name: 'record-reading',
  callers: ['auth', 'directory', 'issuance'],
  request: z.strictObject({ action: z.enum(operatorReadings), targets: z.array(auditTargetSchema).max(1) }),
  reply: z.strictObject({}),
  // As with appendRecords.
  timeout: 1500,
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
  timeout: readTimeout,
  name: 'list-events',
  callers: ['gateway'],
  request: z.strictObject({
    filter: auditFilterSchema,
    limit: pageLimit,
    before: z.int().optional().describe('Only places before this one'),
  }),
  reply: z.strictObject({ items: z.array(auditEventSchema), next: z.int().optional() }),
});

export const getAuditEvent = query({
  service: 'audit',
  timeout: readTimeout,
  name: 'get-event',
  callers: ['gateway'],
  request: z.strictObject({ id: z.guid().toLowerCase() }),
  reply: auditEventSchema,
  errors: ['unknown_event'],
});

const hash = z.base64().describe('SHA-256, 32 bytes');
/** C2SP tlog-checkpoint: a signed note with origin, size and root. */
const checkpoint = z.string().describe('Signed note (C2SP tlog-checkpoint): origin, size and root hash of the log');

/** The newest checkpoint: it covers every record whose append was answered before it was asked for. */
export const auditCheckpoint = query({
  service: 'audit',
  timeout: readTimeout,
  name: 'checkpoint',
  callers: ['gateway', 'operator'],
  request: z.strictObject({}),
  reply: z.strictObject({ checkpoint }),
  errors: ['unknown_organization'],
});

/** By which checkpoints of the organization's log are verified: `name+hash+key`, to be pinned. */
export const auditVerifierKeys = query({
  service: 'audit',
  timeout: readTimeout,
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
    seq: z.int().describe('Its place in the log; its index in the tree is one less'),
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
  timeout: readTimeout,
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
  timeout: readTimeout,
  name: 'consistency',
  callers: ['gateway', 'operator'],
  request: z.strictObject({ from: z.int().min(1), to: z.int().min(1) }),
  reply: z.strictObject({ hashes: z.array(hash).describe('The proof (RFC 9162 §2.1.4)') }),
  errors: ['invalid_request'],
});

/** C2SP tlog-tiles: the hashes of a tile, 32 bytes each; `width` of a partial one. */
export const auditTile = query({
  service: 'audit',
  timeout: readTimeout,
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
  value: z.string().describe('What the log opens'),
  salt: z.base64().describe('With what it was hashed'),
});

/**
 * One place of the log as it is exported: all that a verifier needs, and no more than the log still knows. Leaves that
 * are absent are accounted for by the records of `audit.drop`, whose `changes` say which places of a class and month
 * are gone. What is optional below was not exported from the beginning.
 */
export const exportedEntrySchema = z
  .strictObject({
    seq: z.int().describe('Its place in the log; its index in the tree is one less'),
    leaf: z.base64().optional().describe('The exact bytes; absent when its retention has ended'),
    leafHash: hash.describe(
      'As the tree holds it: what tells a verifier which entry was changed, and all that is left when its retention has ended',
    ),
    class: z.string().optional().describe('Class of retention in which it lies; it follows from the action'),
    month: z.string().optional().describe('Month in which it lies, such as `2026-11`: that in which it got its place'),
    lastAt: instant
      .optional()
      .describe(
        'Of each 256th place: the latest time up to here, by which a list finds where a span of time begins and ends',
      ),
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

/** Beside `lastAt`, what decides in which places a list looks for a span of time. */
export const auditLateMs = z
  .int()
  .describe('By how many milliseconds an entry of the log has come behind a later one, at most');

/** Of a log that does not continue what was signed before, so that nothing more of it is signed. */
export const auditBrokenSchema = z.strictObject({
  detail: z.string().describe('What is wrong with it'),
  since: instant.describe('When that was found'),
  unsigned: z
    .int()
    .min(0)
    .describe('How many entries stand behind the checkpoint that comes along: nobody has signed them'),
});
export type AuditBroken = z.infer<typeof auditBrokenSchema>;

/**
 * The log in its own order, from behind `after`; up to the newest checkpoint, which comes along. A read is bounded by
 * `limit` entries and 800 kB. Of a broken log up to the last checkpoint that was signed, which is empty when none can
 * be read.
 */
export const exportAuditEntries = query({
  service: 'audit',
  timeout: readTimeout,
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

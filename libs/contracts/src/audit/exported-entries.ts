import { z } from 'zod';
import { query } from '../contract.js';
import { instant } from '../fields.js';
import { checkpointSchema, hashSchema } from './proofs.js';
import { readTimeoutMs } from './read-timeout.js';

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
    leafHash: hashSchema.describe(
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
  dividedByOrganization: true,
  name: 'export-entries',
  callers: ['gateway', 'operator'],
  request: z.strictObject({ after: z.int().min(0), limit: z.int().min(1).max(500) }),
  reply: z.strictObject({
    entries: z.array(exportedEntrySchema),
    checkpoint: checkpointSchema,
    hasMore: z.boolean(),
    lateMs: auditLateMs.optional(),
    broken: auditBrokenSchema.optional(),
  }),
});

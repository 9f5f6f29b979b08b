import { z } from 'zod';
import { query } from '../contract.js';
import { uuid } from '../fields.js';
import { readTimeoutMs } from './read-timeout.js';

export const hashSchema = z.base64().describe('SHA-256, 32 bytes');
/** C2SP tlog-checkpoint: a signed note with origin, size and root. */
export const checkpointSchema = z
  .string()
  .describe('Signed note (C2SP tlog-checkpoint): origin, size and root hash of the log');

/** The newest checkpoint: it covers every record whose append was confirmed before the request. */
export const auditCheckpoint = query({
  service: 'audit',
  timeoutMs: readTimeoutMs,
  name: 'checkpoint',
  callers: ['gateway', 'operator'],
  request: z.strictObject({
    cosigned: z.boolean().optional().describe('The newest checkpoint that witnesses have cosigned, with their lines'),
  }),
  reply: z.strictObject({ checkpoint: checkpointSchema }),
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

const auditProofSchema = z
  .strictObject({
    id: z.uuid().describe('The event'),
    seq: z.int().describe('Position in the log; the leaf index in the tree is one less'),
    leaf: z
      .base64()
      .describe(
        'The exact bytes that the log proves; they contain hashes of personal values and pseudonyms in place of ids',
      ),
    hashes: z.array(hashSchema).describe('Inclusion path, from leaf to root (RFC 9162 §2.1.3)'),
    checkpoint: checkpointSchema,
  })
  .meta({ id: 'AuditProof' });
export type AuditProof = z.infer<typeof auditProofSchema>;

/** Inclusion proof of an event under the newest checkpoint (RFC 9162 §2.1.3). */
export const auditProof = query({
  service: 'audit',
  timeoutMs: readTimeoutMs,
  dividedByOrganization: true,
  name: 'proof',
  callers: ['gateway'],
  request: z.strictObject({ id: uuid.describe('The event') }),
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
  dividedByOrganization: true,
  name: 'consistency',
  callers: ['gateway', 'operator'],
  request: z.strictObject({ from: z.int().min(1), to: z.int().min(1) }),
  reply: z.strictObject({ hashes: z.array(hashSchema).describe('The proof (RFC 9162 §2.1.4)') }),
  errors: ['invalid_request'],
});

/** The hashes of a tile (C2SP tlog-tiles), 32 bytes each. `width` is below 256 for a partial tile. */
export const auditTile = query({
  service: 'audit',
  timeoutMs: readTimeoutMs,
  dividedByOrganization: true,
  name: 'tile',
  callers: ['gateway'],
  request: z.strictObject({ level: z.int().min(0).max(5), index: z.int().min(0), width: z.int().min(1).max(256) }),
  reply: z.strictObject({ hashes: z.base64() }),
  errors: ['unknown_tile'],
});

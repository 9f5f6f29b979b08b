import { z } from 'zod';
import { http } from '../http/forwarded.js';
import { checkpoint, proof, proofFile, verifierKey } from './audit-examples.js';
import { auditCheckpoint, auditConsistency, auditProof, auditVerifierKeys, type AuditProof } from './proofs.js';

const tag = 'Admin API: audit';
const operation = 'audit:read';
const action = 'audit.prove';

const size = z
  .string()
  .regex(/^[1-9]\d{0,15}$/, 'must be the size of a log: a whole number of 1 or more')
  .transform(Number)
  .refine(Number.isSafeInteger, 'is larger than any log')
  .meta({ parameter: { type: 'integer', minimum: 1, examples: [1] } });

/** C2SP tlog-proof, as `formatProofFile` of libs/tlog writes it from bytes; here all bytes are in Base64 already. */
function proofFileOf({ seq, leaf, hashes, checkpoint: note }: AuditProof): string {
  return ['c2sp.org/tlog-proof@v1', `extra ${leaf}`, `index ${seq - 1}`, ...hashes, '', note].join('\n');
}

export const auditProofEndpoints = [
  http(auditCheckpoint, {
    id: 'getAuditCheckpoint',
    method: 'GET',
    path: '/o/{shortId}/api/admin/audit/checkpoint',
    tag,
    summary: 'Get the newest checkpoint of the log',
    description:
      'A signed note (c2sp.org/tlog-checkpoint) with origin, size and root hash. It covers the event of every ' +
      'request that had its response before this one was sent. Keep it: the log must continue it from then on. With ' +
      '`cosigned=true` the newest one that witnesses have cosigned (c2sp.org/tlog-cosignature), which is some ' +
      'minutes old.',
    operation,
    action,
    query: {
      cosigned: z.enum(['true', 'false']).optional().describe('Whether the checkpoint must have cosignatures'),
    },
    response: 'The checkpoint',
    text: { of: (reply) => reply.checkpoint, example: checkpoint, only: true },
    request: ({ query: { cosigned } }) => ({ cosigned: cosigned === 'true' }),
    targets: () => [],
  }),
  http(auditVerifierKeys, {
    id: 'getAuditKeys',
    method: 'GET',
    path: '/o/{shortId}/api/admin/audit/keys',
    tag,
    summary: "Get the verifier keys of the log's checkpoints",
    description: 'Pin them: fetching the keys again for each verification would trust any server that responds.',
    operation,
    action,
    response: 'The keys, the current one first',
    example: { keys: [verifierKey] },
    targets: () => [],
  }),
  http(auditProof, {
    id: 'getAuditProof',
    method: 'GET',
    path: '/o/{shortId}/api/admin/audit/events/{id}/proof',
    tag,
    summary: 'Get the proof that an event is in the log',
    description:
      'The exact bytes of the event in the log, its inclusion proof (RFC 9162 §2.1.3) and the checkpoint that both ' +
      'lead to. With `Accept: text/plain` a proof file (c2sp.org/tlog-proof) to keep, with the bytes as its `extra` ' +
      'line.',
    operation,
    action,
    response: 'The proof',
    text: { of: proofFileOf, example: proofFile },
    example: proof,
    targets: (_, outcome) => (outcome ? [{ type: 'audit_event', id: outcome.reply.id }] : []),
  }),
  http(auditConsistency, {
    id: 'getAuditConsistency',
    method: 'GET',
    path: '/o/{shortId}/api/admin/audit/consistency',
    tag,
    summary: 'Get the proof that the log continues an earlier one',
    description: 'Between the sizes of two checkpoints (RFC 9162 §2.1.4).',
    operation,
    action,
    query: {
      from: size.describe('Size in the earlier checkpoint'),
      to: size.describe('Size in the later one, at most the size of the log'),
    },
    response: 'The proof; empty when both sizes are the same',
    example: { hashes: proof.hashes },
    check: ({ from, to }) =>
      from > to
        ? [
            {
              parameter: 'from',
              detail: `must be at most \`to\`: a log of ${to} events cannot continue one of ${from}`,
            },
          ]
        : [],
    targets: () => [],
  }),
];

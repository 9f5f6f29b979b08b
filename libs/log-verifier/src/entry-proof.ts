import {
  FormatError,
  leafHash,
  openCheckpoint,
  parseProofFile,
  verifyInclusion,
  type VerifierKey,
} from '@holdfast/tlog';
import { bytesOfBase64 } from '@holdfast/tlog/platform';
import { isObject } from './exported-log.js';
import { leafFacts, type LeafFacts } from './leaf-facts.js';
import { parseUnambiguous } from './unambiguous-json.js';
import { UndecidableError } from './undecidable.js';

/** What the proof of one entry shows. */
export interface ProvenEntry extends Pick<LeafFacts, 'id' | 'action' | 'occurredAt'> {
  origin: string;
  seq: number;
  /** Number of entries that the checkpoint covers. */
  size: number;
}

/** Whether a file is the proof of one entry, by its first characters. */
export const isEntryProof = (start: string): boolean => /^(c2sp\.org\/tlog-proof@|\s*\{\s*"id"\s*:)/.test(start);

/**
 * Verifies the proof of one entry, as `…/audit/events/{id}/proof` returns it: JSON or c2sp.org/tlog-proof.
 *
 * @returns undefined when the tree that the checkpoint covers does not have the entry there
 * @throws UndecidableError when it is no such proof, or of another log
 */
export function verifyEntryProof(text: string, keys: readonly VerifierKey[]): ProvenEntry | undefined {
  try {
    const { index, leaf, hashes, checkpoint } = text.trimStart().startsWith('{') ? ofJson(text) : ofFile(text);
    const { origin, size, root } = openCheckpoint(checkpoint, keys);
    if (!verifyInclusion({ index, size, root, leafHash: leafHash(leaf), proof: hashes })) return undefined;
    const { id, action, occurredAt } = leafFacts(leaf);
    return { origin, seq: index + 1, size, id, action, occurredAt };
  } catch (error) {
    if (error instanceof FormatError) throw new UndecidableError(`The proof cannot be read. ${error.message}.`);
    throw error;
  }
}

interface EntryProof {
  index: number;
  leaf: Uint8Array;
  hashes: Uint8Array[];
  checkpoint: string;
}

function ofFile(text: string): EntryProof {
  const { index, hashes, checkpoint, extra } = parseProofFile(text);
  if (!extra) throw new FormatError('It does not contain the entry (extra)');
  return { index, leaf: extra, hashes, checkpoint };
}

function ofJson(text: string): EntryProof {
  const { seq, leaf, hashes, checkpoint } = parsed(text);
  if (typeof seq !== 'number' || typeof checkpoint !== 'string' || !Array.isArray(hashes))
    throw new FormatError('It does not have the members seq, leaf, hashes and checkpoint');
  return { index: seq - 1, leaf: bytesOf(leaf), hashes: hashes.map(bytesOf), checkpoint };
}

function parsed(text: string): Record<string, unknown> {
  const proof = parseUnambiguous(text);
  if (!isObject(proof)) throw new FormatError('It is not a JSON object');
  return proof;
}

function bytesOf(base64: unknown): Uint8Array {
  const bytes = typeof base64 === 'string' ? bytesOfBase64(base64) : undefined;
  if (!bytes) throw new FormatError('A leaf or hash is not base64');
  return bytes;
}

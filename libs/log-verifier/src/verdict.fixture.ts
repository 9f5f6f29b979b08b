import type { ExportedAuditEntry } from '@holdfast/contracts';
import type { VerifierKey } from '@holdfast/tlog';
import { LogVerifier, type KeptCheckpoint, type Verdict, type VerifierOptions } from './log-verifier.js';

export function verdictOf(
  entries: readonly ExportedAuditEntry[],
  note: string,
  keys: VerifierKey[],
  kept: KeptCheckpoint[] = [],
  { lateMs = 0, ...options }: VerifierOptions & { lateMs?: number } = {},
): Verdict {
  const verifier = new LogVerifier(keys, kept, options);
  for (const entry of entries) verifier.add(entry);
  return verifier.end(note, { lateMs });
}

export * from './exported-log.js';
export type { Dropped } from './drop-record.js';
export { Drops } from './drops.js';
export { leafFacts } from './leaf-facts.js';
export { LogVerifier, type KeptCheckpoint, type Verdict, type VerifierOptions } from './log-verifier.js';
export { openKept, type Quorum } from './kept-checkpoint.js';
export { UndecidableError } from './undecidable.js';
export { isEntryProof, verifyEntryProof, type ProvenEntry } from './entry-proof.js';
export { verifyExport } from './verify-export.js';

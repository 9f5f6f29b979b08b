import { CapturedLog } from './captured-log.js';
import { checkpointVectors } from './checkpoint-vectors.js';
import { columnVectors, dropVectors } from './column-vectors.js';
import { entryVectors } from './entry-vectors.js';
import { formVectors } from './form-vectors.js';
import { VectorMaker, type Captured, type ExportVector } from './vector-maker.js';

export { edited, vectorSigner } from './captured-log.js';
export type { ExportVector } from './vector-maker.js';

/** Test vectors for exports with proof: the captured log, and what becomes of it (docs/audit-proofs.md). */
export function exportVectors(text: string, captured: Captured): { log: string; vectors: ExportVector[] } {
  const make = new VectorMaker(new CapturedLog(text), captured);
  const vectors = [checkpointVectors, entryVectors, dropVectors, columnVectors, formVectors].flatMap((of) => of(make));
  return { log: 'log.ndjson', vectors };
}

import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { root } from '../setup/paths.mjs';
import { built } from './built.ts';

const folder = 'docs/audit-export-vectors';

/**
 * The vectors of the captured log in docs/audit-export-vectors. Keys, salts and times in them are those of the log, or
 * fixed, so that they are the same in every run.
 */
export async function auditExportVectors(): Promise<Record<string, string>> {
  const { exportVectors } = (await built('testing', 'audit-export-vectors', 'libs')) as {
    exportVectors: (log: string, captured: object) => object;
  };
  const [log, captured] = (await Promise.all(
    ['log.ndjson', 'captured.json'].map((name) => readFile(join(root, folder, name), 'utf8')),
  )) as [string, string];
  const vectors = exportVectors(log, JSON.parse(captured) as object);
  return { [`${folder}/vectors.json`]: `${JSON.stringify(vectors, null, 2)}\n` };
}

import { built } from './built.ts';

/** The log in docs/audit-export-vectors and its vectors: keys, salts and times in it are fixed. */
export async function auditExportVectors(): Promise<Record<string, string>> {
  const { exportVectors } = (await built('testing', 'audit-export-vectors', 'libs')) as {
    exportVectors: () => { log: string; vectors: object };
  };
  const { log, vectors } = exportVectors();
  return {
    'docs/audit-export-vectors/log.ndjson': log,
    'docs/audit-export-vectors/vectors.json': `${JSON.stringify(vectors, null, 2)}\n`,
  };
}

import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { UndecidableError } from '@holdfast/log-verifier';
import { edited, type ExportVector } from '@holdfast/testing/audit-export-vectors';
import { FormatError, parseVerifierKey, parseWitnessKey } from '@holdfast/tlog';
import { readCheckpoints, verifyFile } from './log-file.js';

const docs = join(import.meta.dirname, '../../../../../docs/audit-export-vectors');
const { vectors } = JSON.parse(readFileSync(join(docs, 'vectors.json'), 'utf8')) as { vectors: ExportVector[] };
const lines = readFileSync(join(docs, 'log.ndjson'), 'utf8').trimEnd().split('\n');

let folder: string;
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'vectors-'));
});
afterAll(() => rmSync(folder, { recursive: true }));

test.each(vectors.map((vector) => [vector.name, vector] as const))('%s', async (_, vector) => {
  const [log, kept] = ['log.ndjson', 'kept.checkpoint'].map((name) => join(folder, name)) as [string, string];
  writeFileSync(log, `${edited(lines, vector.edits).join('\n')}\n`);
  writeFileSync(kept, vector.checkpoint ?? '');
  const verify = async () => {
    const keys = vector.keys.map(parseVerifierKey);
    const witnesses = (vector.witnesses ?? []).map(parseWitnessKey);
    const quorum = { witnesses, required: vector.quorum ?? witnesses.length };
    return verifyFile(log, keys, await readCheckpoints(vector.checkpoint ? [kept] : [], keys, quorum));
  };
  const { verdict, message } = await verify().then(
    ({ verified, findings }) => ({ verdict: verified ? 'verified' : 'refuted', message: findings[0] }),
    (error: unknown) => {
      if (!(error instanceof UndecidableError || error instanceof FormatError)) throw error;
      return { verdict: 'undecided', message: error.message };
    },
  );
  const expected = vector.expected.message?.replace('LOG', log).replace('CHECKPOINT', kept);
  expect([verdict, message?.slice(0, expected?.length)]).toEqual([vector.expected.verdict, expected]);
});

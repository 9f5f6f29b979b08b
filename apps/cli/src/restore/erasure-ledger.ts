import { readFile, rename, writeFile } from 'node:fs/promises';
import type pg from 'pg';
import { CommandError } from '../command-error.js';

/** The hash of an erased customer or person, and when they were erased. */
interface Erased {
  hash: string;
  at: string;
}

const line = /^\\x([0-9a-f]{64}),([^,]+)$/;

/** Writes the ledger as CSV. The file appears as a whole, or stays as it was. @returns how many lines it has */
export async function exportLedger(client: pg.Client, file: string): Promise<number> {
  const { rows } = await client.query<Erased>(
    `SELECT encode(hash, 'hex') AS hash, min(at)::text AS at
     FROM (SELECT hash, at FROM issuance.erased UNION ALL SELECT hash, at FROM directory.erased) e GROUP BY hash
     ORDER BY 2, 1`,
  );
  const draft = `${file}.new`;
  await writeFile(draft, rows.map(({ hash, at }) => `\\x${hash},${at}\n`).join(''), { mode: 0o600 });
  await rename(draft, file);
  return rows.length;
}

/** @throws CommandError that names the first line which is none of a ledger */
export async function readLedger(file: string): Promise<Erased[]> {
  const text = await readFile(file, 'utf8').catch((error: unknown) => {
    throw new CommandError(`The erasure ledger cannot be read: ${(error as Error).message}`);
  });
  return text
    .split('\n')
    .map((content) => content.trim())
    .flatMap((content, i) => {
      if (content === '') return [];
      const [, hash, at] = line.exec(content) ?? [];
      if (hash === undefined || at === undefined || Number.isNaN(Date.parse(at)))
        throw new CommandError(`Line ${i + 1} of ${file} is no line of an erasure ledger. Use another copy of it.`);
      return [{ hash, at }];
    });
}

/** Adds the lines that the database does not have. @returns how many these are */
export async function importLedger(client: pg.Client, ledger: Erased[]): Promise<number> {
  const values = [ledger.map(({ hash }) => hash), ledger.map(({ at }) => at)];
  const insert = (schema: string) =>
    client.query(
      `INSERT INTO ${schema}.erased (hash, at) SELECT decode(hash, 'hex'), at
       FROM unnest($1::text[], $2::timestamptz[]) AS l (hash, at) ON CONFLICT DO NOTHING`,
      values,
    );
  return Math.max((await insert('issuance')).rowCount ?? 0, (await insert('directory')).rowCount ?? 0);
}

import { readFile, rename, writeFile } from 'node:fs/promises';
import type pg from 'pg';
import { CommandError } from '../command-error.js';

/** The hash of an erased customer or person, and when they were erased. */
export interface Erased {
  hash: string;
  at: string;
}

const line = /^\\x([0-9a-f]{64}),([^,]+)$/;

/** The services that record whom they have erased: customers and people. */
export const erasingServices = ['issuance', 'directory'] as const;
type ErasingService = (typeof erasingServices)[number];

/** The ledger of one service. */
export async function ledgerOf(client: pg.Client, service: ErasingService): Promise<Erased[]> {
  const { rows } = await client.query<Erased>(
    `SELECT encode(hash, 'hex') AS hash, at::text AS at FROM ${service}.erased`,
  );
  return rows;
}

/** Writes the ledger as CSV. The file appears as a whole, or stays as it was. @returns how many lines it has */
export async function exportLedger(erased: Erased[], file: string): Promise<number> {
  const first = new Map<string, string>();
  for (const { hash, at } of erased) {
    const known = first.get(hash);
    if (known === undefined || Date.parse(at) < Date.parse(known)) first.set(hash, at);
  }
  const rows = [...first].sort(([a, at], [b, bt]) => Date.parse(at) - Date.parse(bt) || (a < b ? -1 : 1));
  const draft = `${file}.new`;
  await writeFile(draft, rows.map(([hash, at]) => `\\x${hash},${at}\n`).join(''), { mode: 0o600 });
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

/** Adds the lines that the ledger of a service does not have. */
export async function importLedger(client: pg.Client, service: ErasingService, ledger: Erased[]): Promise<void> {
  await client.query(
    `INSERT INTO ${service}.erased (hash, at) SELECT decode(hash, 'hex'), at
     FROM unnest($1::text[], $2::timestamptz[]) AS l (hash, at) ON CONFLICT DO NOTHING`,
    [ledger.map(({ hash }) => hash), ledger.map(({ at }) => at)],
  );
}

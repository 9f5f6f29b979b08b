import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { z } from 'zod';
import { resolveCommit } from './commit.ts';
import { savedResultSchema, type SavedResult } from './schema.ts';

export const resultsFolder = fileURLToPath(new URL('../results', import.meta.url));

/** One file per commit and machine. */
export function fileNameOf({ commit, machine }: Pick<SavedResult, 'commit' | 'machine'>): string {
  return `${commit.slice(0, 12)}-${machine.id}.json`;
}

/** What was measured before at the same commit and machine stays, unless it was measured again. @returns the path */
export function saveResult(result: SavedResult, folder = resultsFolder): string {
  const path = join(folder, fileNameOf(result));
  const earlier = existsSync(path) ? readResult(path) : undefined;
  const growth = { ...earlier?.growth, ...result.growth };
  const merged = { ...earlier, ...result, ...(Object.keys(growth).length > 0 && { growth }) };
  mkdirSync(folder, { recursive: true });
  writeFileSync(path, `${JSON.stringify(savedResultSchema.parse(merged), rounded, 2)}\n`);
  return path;
}

/** Four digits are more than any measurement is worth, and keep the files readable. */
function rounded(_key: string, value: unknown): unknown {
  return typeof value === 'number' && !Number.isInteger(value) ? Number(value.toPrecision(4)) : value;
}

export function readResult(path: string): SavedResult {
  const { success, data, error } = savedResultSchema.safeParse(JSON.parse(readFileSync(path, 'utf8')));
  if (success) return data;
  throw new Error(`${path} is no result of the benchmark (bench/history/schema.ts): ${z.prettifyError(error)}`);
}

/** All saved results, the oldest first. */
export function readResults(folder = resultsFolder): SavedResult[] {
  if (!existsSync(folder)) return [];
  const names = readdirSync(folder).filter((name) => name.endsWith('.json'));
  return names
    .sort()
    .map((name) => readResult(join(folder, name)))
    .sort((a, b) => dateOf(a).localeCompare(dateOf(b)));
}

/** The date of its latest measurement. */
export function dateOf({ requests, growth = {} }: SavedResult): string {
  return [requests, ...Object.values(growth)].map((part) => part?.date ?? '').reduce((a, b) => (a > b ? a : b), '');
}

/**
 * @param reference path of a file, or a commit that has one saved result
 * @throws {Error} with a sentence for the user
 */
export function findResult(reference: string, folder = resultsFolder): SavedResult {
  if (existsSync(reference)) return readResult(reference);
  const commit = resolveCommit(reference) ?? reference;
  const found = readResults(folder).filter((result) => result.commit.startsWith(commit));
  if (found.length === 1) return found[0]!;
  if (found.length === 0)
    throw new Error(
      `bench/results has no result of ${reference}. Measure it with \`npm run bench -- --save\` at that commit, ` +
        'or name the file of a result.',
    );
  const files = found.map((result) => `bench/results/${fileNameOf(result)}`).join(', ');
  throw new Error(`bench/results has results of ${reference} from several machines. Name one of ${files}.`);
}

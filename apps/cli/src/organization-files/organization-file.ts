import { createHash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { z } from 'zod';
import { CommandError } from '../command-error.js';

/** Of the files, which a version of the command line understands only if it knows it. */
export const formatVersion = 1;

/** A row as the text of its composite type: the table with its schema, and the row. */
const lineSchema = z.tuple([z.string(), z.string()]);
export type RowLine = z.infer<typeof lineSchema>;

const serviceSchema = z.strictObject({
  columns: z.record(z.string(), z.array(z.string())).describe('Of each table, with their types'),
  digests: z.record(z.string(), z.string()).describe('Number and hash of the rows of each table'),
  keys: z.array(z.strictObject({ name: z.string(), id: z.string() })).describe('That were current, by name'),
  months: z.array(z.int()).describe('Of the log: its partitions'),
  sha256: z.hex().describe('Of the file'),
});
export type ServiceManifest = z.infer<typeof serviceSchema>;

/** `manifest.json`. It is written last, so that a folder with one is complete. */
const manifestSchema = z.strictObject({
  format: z.literal(formatVersion),
  org: z.string(),
  shard: z.string(),
  exportedAt: z.iso.datetime(),
  services: z.record(z.string(), serviceSchema),
});
export type Manifest = z.infer<typeof manifestSchema>;

export const manifestFile = (folder: string): string => join(folder, 'manifest.json');
export const rowsFile = (folder: string, service: string): string => join(folder, `${service}.jsonl`);

/** @throws CommandError when the folder has no manifest of this version */
export async function readManifest(folder: string): Promise<Manifest> {
  const file = manifestFile(folder);
  try {
    return manifestSchema.parse(JSON.parse(await readFile(file, 'utf8')));
  } catch (error) {
    throw new CommandError(
      `${file} is no manifest of an exported organization: ${(error as Error).message}. ` +
        'Use a complete folder of "holdfast org export", and the version that wrote it or a newer one.',
    );
  }
}

/** @throws CommandError when a file is not the one of the manifest */
export async function requireIntact(folder: string, { services }: Manifest): Promise<void> {
  for (const [service, { sha256 }] of Object.entries(services)) {
    const file = rowsFile(folder, service);
    const hash = createHash('sha256');
    try {
      for await (const chunk of createReadStream(file)) hash.update(chunk as Buffer);
    } catch (error) {
      throw new CommandError(`${file} cannot be read: ${(error as Error).message}. Nothing was imported.`);
    }
    if (hash.digest('hex') !== sha256)
      throw new CommandError(
        `${file} was changed: its SHA-256 differs from that of the manifest. Nothing was imported.`,
      );
  }
}

/** Reads the rows of a service. @throws CommandError when a line is no row */
export async function* readRows(folder: string, service: string): AsyncGenerator<RowLine> {
  const file = rowsFile(folder, service);
  try {
    for await (const line of createInterface({ input: createReadStream(file), crlfDelay: Infinity }))
      yield lineSchema.parse(JSON.parse(line));
  } catch (error) {
    throw new CommandError(`${file} cannot be read: ${(error as Error).message}. Nothing was imported.`);
  }
}

import { createHash, type Hash } from 'node:crypto';
import { createWriteStream } from 'node:fs';
import { mkdir, rm, writeFile } from 'node:fs/promises';
import { Readable, Transform } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import type pg from 'pg';
import type { ServiceName } from '@holdfast/contracts';
import { CommandError } from '../command-error.js';
import { eachService, type ShardConnections } from '../organization-rows/connections.js';
import { digestsOf, eachBatch, logMonths, rowsIn } from '../organization-rows/copy-rows.js';
import { columnsOf, organizationTables } from '../organization-rows/organization-tables.js';
import { currentKeys } from './current-keys.js';
import { formatVersion, manifestFile, rowsFile, type Manifest, type ServiceManifest } from './organization-file.js';

/**
 * Writes all rows of an organization to a folder that only its owner may read. The rows of each database are of one
 * instant. Encrypted values stay encrypted, with the keys of this deployment.
 * @returns how many rows
 * @throws CommandError when the folder cannot be written
 */
export async function exportOrganization(
  org: string,
  shard: string,
  folder: string,
  connections: ShardConnections,
): Promise<number> {
  const services: Record<string, ServiceManifest> = {};
  await beginSnapshots(connections);
  try {
    await mkdir(folder, { recursive: true, mode: 0o700 });
    await rm(manifestFile(folder), { force: true });
    await eachService(connections, async (client, service) => {
      services[service] = await exportService(client, service, org, folder);
    });
    const manifest: Manifest = { format: formatVersion, org, shard, exportedAt: new Date().toISOString(), services };
    await writeFile(manifestFile(folder), `${JSON.stringify(manifest, null, 2)}\n`, { mode: 0o600, flush: true });
  } catch (error) {
    if (error instanceof CommandError || (error as { severity?: string }).severity !== undefined) throw error;
    throw new CommandError(`The export cannot be written: ${(error as Error).message}`);
  } finally {
    await eachService(connections, async (client) => void (await client.query('ROLLBACK')));
  }
  return Object.values(services).reduce((sum, { digests }) => sum + rowsIn(digests), 0);
}

/** Services of one database see the same instant. */
async function beginSnapshots(connections: ShardConnections): Promise<void> {
  const snapshots = new Map<string, string>();
  await eachService(connections, async (client) => {
    const database = `${client.host}:${client.port}/${client.database}`;
    const snapshot = snapshots.get(database);
    await client.query('BEGIN ISOLATION LEVEL REPEATABLE READ, READ ONLY');
    if (snapshot !== undefined) return void (await client.query(`SET TRANSACTION SNAPSHOT '${snapshot}'`));
    const { rows } = await client.query<{ id: string }>('SELECT pg_export_snapshot() AS id');
    snapshots.set(database, rows[0]!.id);
  });
}

async function exportService(
  client: pg.Client,
  service: ServiceName,
  org: string,
  folder: string,
): Promise<ServiceManifest> {
  const hash = createHash('sha256');
  const { moved } = await organizationTables(client, service);
  await pipeline(
    Readable.from(linesOf(client, moved, org)),
    hashing(hash),
    createWriteStream(rowsFile(folder, service), { mode: 0o600, flush: true }),
  );
  const all = await columnsOf(client, service);
  const columns = Object.fromEntries(moved.map(({ name }) => [name, all[name.slice(service.length + 1)]!]));
  return {
    columns,
    digests: await digestsOf(client, service, org),
    keys: await currentKeys(client, service),
    months: service === 'audit' ? await logMonths(client, org) : [],
    sha256: hash.digest('hex'),
  };
}

async function* linesOf(client: pg.Client, tables: readonly { name: string; where: string }[], org: string) {
  for (const { name, where } of tables)
    for await (const rows of eachBatch(client, name, where, [org]))
      yield rows.map((row) => `${JSON.stringify([name, row])}\n`).join('');
}

function hashing(hash: Hash): Transform {
  return new Transform({
    transform(chunk: Buffer, _, done) {
      hash.update(chunk);
      done(null, chunk);
    },
  });
}

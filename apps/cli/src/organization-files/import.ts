import type pg from 'pg';
import type { ServiceName } from '@holdfast/contracts';
import { organizationKey } from '@holdfast/platform';
import { addPendingRecords, ownerRecord } from '../audit/pending-records.js';
import { CommandError } from '../command-error.js';
import { eachService, type ShardConnections } from '../organization-rows/connections.js';
import {
  createLogPartitions,
  deleteRows,
  digestsOf,
  insertRows,
  inTransaction,
  requireEqual,
  rowsIn,
} from '../organization-rows/copy-rows.js';
import { deleteEverywhere, fenceDeleted } from '../organization-rows/delete-everywhere.js';
import { fenceOf, removeFence } from '../organization-rows/fences.js';
import { columnsOf } from '../organization-rows/organization-tables.js';
import { movedServices } from '../organization-rows/shard-databases.js';
import { knownKeys } from './current-keys.js';
import { readRows, requireIntact, type Manifest, type ServiceManifest } from './organization-file.js';

const batchSize = 500;

/**
 * Brings an organization back from an export. It is fenced until all its rows are there: a command that was killed is
 * run again, and one that fails leaves no row. The organization stays suspended.
 * @returns how many rows
 * @throws CommandError, and nothing of the organization is served, when it exists or the export does not fit
 */
export async function importOrganization(
  manifest: Manifest,
  folder: string,
  connections: ShardConnections,
): Promise<number> {
  const { org, services } = manifest;
  const rows = Object.values(services).reduce((sum, { digests }) => sum + rowsIn(digests), 0);
  if (!(await isImported(connections, org))) {
    await requireIntact(folder, manifest);
    await eachService(connections, async (client, service) => {
      const exported = services[service];
      if (!exported) throw new CommandError(`The export has no rows of ${service}. Nothing was imported.`);
      await requireSameTables(client, service, exported);
      await requireKeys(client, service, exported);
    });
    await fenceDeleted(org, connections, [connections]);
    try {
      await eachService(connections, (client, service) => importService(client, service, manifest, folder));
    } catch (error) {
      await deleteEverywhere(org, [connections]);
      throw error;
    }
  }
  await eachService(connections, async (client, service) => {
    if (movedServices.includes(service)) await removeFence(client, service, org);
  });
  return rows;
}

/** Whether an earlier run has imported all rows, and ended before it removed the fences. */
async function isImported({ directory, audit }: ShardConnections, org: string): Promise<boolean> {
  const { rows } = await directory!.query<{ deleting: boolean }>(
    'SELECT deleting FROM directory.organization WHERE short_id = $1',
    [org],
  );
  if (rows.length === 0) return false;
  if (!rows[0]!.deleting && (await fenceOf(audit!, 'audit', org)) === 'deleted') return true;
  throw new CommandError(
    `${org} exists. An import replaces nothing: delete it first (holdfast org delete, holdfast org purge).`,
  );
}

async function requireSameTables(client: pg.Client, service: ServiceName, exported: ServiceManifest): Promise<void> {
  const columns = await columnsOf(client, service);
  const different = Object.entries(exported.columns)
    .filter(
      ([name, expected]) =>
        !name.startsWith(`${service}.`) || columns[name.slice(service.length + 1)]?.join() !== expected.join(),
    )
    .map(([name]) => name);
  if (different.length > 0)
    throw new CommandError(
      `The tables ${different.join(', ')} differ from those of the export. Import it with the version that exported ` +
        'it: restore a backup of that time to a database of its own, upgrade that, and export again. ' +
        'Nothing was imported.',
    );
}

async function requireKeys(client: pg.Client, service: ServiceName, { keys }: ServiceManifest): Promise<void> {
  const known = await knownKeys(client, service);
  const missing = keys.filter(({ name, id }) => !known.some((key) => key.name === name && key.id === id));
  if (missing.length > 0)
    throw new CommandError(
      `Rows of ${service} were encrypted with another ${missing.map(({ name }) => name).join(', ')} than the ones ` +
        'that its replicas have, so nobody could read them. Give them that key as the previous one, restart them, ' +
        'and import again. Nothing was imported.',
    );
}

/** All rows of a service in one transaction. Those of an earlier run are replaced. */
async function importService(
  client: pg.Client,
  service: ServiceName,
  { org, services }: Manifest,
  folder: string,
): Promise<void> {
  const exported = services[service]!;
  if (service === 'audit') await createLogPartitions(client, exported.months);
  await deleteRows(client, service, org);
  await inTransaction(client, async () => {
    const inserted = await insertAll(client, readRows(folder, service), Object.keys(exported.columns));
    // Digests are of the organization's rows. A file that somebody wrote may have those of another one.
    if (inserted !== rowsIn(exported.digests))
      throw new CommandError(`The rows of ${service} are not those of ${org} alone. Nothing was imported.`);
    requireEqual(exported.digests, await digestsOf(client, service, org));
    await requireNotErased(client, service, org);
    if (service === 'audit') await forgetDeletion(client, 'audit.erased WHERE key', org);
    if (service === 'audit')
      await addPendingRecords(client, [{ org, record: ownerRecord('org import', org, 'organization.import') }]);
    if (service !== 'directory') return;
    await forgetDeletion(client, 'directory.erased WHERE hash', org);
    await client.query(
      `UPDATE directory.organization SET suspended = true, deleting = false, deletes_at = NULL, move_id = NULL,
         move_to = NULL WHERE short_id = $1`,
      [org],
    );
  });
}

const erasable: Partial<Record<ServiceName, string>> = { issuance: 'subject', directory: 'person' };

/** An export must bring back nobody who was erased after it. */
async function requireNotErased(client: pg.Client, service: ServiceName, org: string): Promise<void> {
  const table = erasable[service];
  if (table === undefined) return;
  const { rows } = await client.query<{ count: number }>(
    `SELECT count(*)::int AS count FROM ${service}.${table} t JOIN ${service}.erased e
     ON e.hash = sha256(convert_to(t.org || '/' || t.id, 'UTF8')) WHERE t.org = $1`,
    [org],
  );
  if (rows[0]!.count > 0)
    throw new CommandError(
      `${rows[0]!.count} of the customers or people in the export were erased after it. Restore the backup to a ` +
        'database of its own, erase them there (holdfast restore --ledger …), and export again. Nothing is served.',
    );
}

async function insertAll(
  client: pg.Client,
  lines: AsyncIterable<[string, string]>,
  tables: readonly string[],
): Promise<number> {
  let [table, batch, inserted]: [string, string[], number] = ['', [], 0];
  const flush = async () => {
    if (batch.length > 0) await insertRows(client, table, batch);
    inserted += batch.length;
    batch = [];
  };
  for await (const [name, row] of lines) {
    // The name becomes part of a statement.
    if (!tables.includes(name))
      throw new CommandError(`The export has rows of an unknown table. Nothing was imported.`);
    if (name !== table || batch.length >= batchSize) await flush();
    table = name;
    batch.push(row);
  }
  await flush();
  return inserted;
}

function forgetDeletion(client: pg.Client, row: string, org: string): Promise<unknown> {
  return client.query(`DELETE FROM ${row} = $1`, [organizationKey(org)]);
}

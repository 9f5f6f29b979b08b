import { organizationKey } from '@holdfast/platform';
import { eachService, withShards, type ShardConnections } from '../organization-rows/connections.js';
import { digestsOf, rowsIn } from '../organization-rows/copy-rows.js';
import { deleteEverywhere, fenceDeleted } from '../organization-rows/delete-everywhere.js';
import { databasesOn, organizationDatabases } from '../organization-rows/organization-databases.js';
import type { Erased } from './erasure-ledger.js';

export interface DeletedAgain {
  org: string;
  rows: number;
}

/**
 * Deletes the organizations again that a backup has brought back. While no service is connected. With `dryRun` it
 * counts their rows.
 */
export async function deleteOrganizationsAgain(ledger: readonly Erased[], dryRun: boolean): Promise<DeletedAgain[]> {
  const databases = organizationDatabases();
  const all = Object.keys(databases.shards).map((shard) => databasesOn(shard, databases));
  return withShards(all, databases.tls, async (...shards) => {
    const deleted: DeletedAgain[] = [];
    for (const shard of shards)
      for (const org of await deletedIn(shard, ledger)) {
        if (!dryRun) await fenceDeleted(org, shard, [shard]);
        deleted.push({ org, rows: dryRun ? await countIn(shard, org) : await deleteEverywhere(org, [shard]) });
      }
    return deleted;
  });
}

/** The organizations with rows whose hash is in the ledger: in that of a file, or in the one of the database. */
async function deletedIn({ directory, audit }: ShardConnections, ledger: readonly Erased[]): Promise<string[]> {
  // A shard has logs of organizations that only the directory of the first one names.
  const named = await directory!.query<{ org: string }>('SELECT short_id AS org FROM directory.organization');
  const logged = await audit!.query<{ org: string }>('SELECT org FROM audit.head');
  const orgs = [...new Set([...named.rows, ...logged.rows].map(({ org }) => org))];
  const { rows } = await directory!.query<{ hash: string }>(
    "SELECT encode(hash, 'hex') AS hash FROM directory.erased WHERE hash = ANY ($1)",
    [orgs.map(organizationKey)],
  );
  const hashes = new Set([...ledger, ...rows].map(({ hash }) => hash));
  return orgs.filter((org) => hashes.has(organizationKey(org).toString('hex')));
}

async function countIn(shard: ShardConnections, org: string): Promise<number> {
  let rows = 0;
  await eachService(shard, async (client, service) => {
    rows += rowsIn(await digestsOf(client, service, org));
  });
  return rows;
}

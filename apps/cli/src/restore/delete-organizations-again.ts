import { createHash } from 'node:crypto';
import { CommandError } from '../command-error.js';
import { deleteEverywhere, fenceDeleted } from '../organization-deletion/delete-everywhere.js';
import { withShards, type ShardConnections } from '../organization-rows/connections.js';
import { digestsOf, rowsIn } from '../organization-rows/copy-rows.js';
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
  return withShards(all, databases.caFile, async (...shards) => {
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
  if (!directory || !audit) throw new CommandError('The databases of directory and audit are needed.');
  const { rows } = await directory.query<{ hash: string }>(
    "SELECT encode(hash, 'hex') AS hash FROM directory.erased WHERE hash = ANY ($1)",
    [[...(await organizationsIn({ directory, audit }))].map((org) => Buffer.from(hashOf(org), 'hex'))],
  );
  const hashes = new Set([...ledger, ...rows].map(({ hash }) => hash));
  return [...(await organizationsIn({ directory, audit }))].filter((org) => hashes.has(hashOf(org)));
}

/** A shard has logs of organizations that only the directory of the first one names. */
async function organizationsIn({ directory, audit }: ShardConnections): Promise<Set<string>> {
  const named = await directory!.query<{ org: string }>('SELECT short_id AS org FROM directory.organization');
  const logged = await audit!.query<{ org: string }>('SELECT org FROM audit.head');
  return new Set([...named.rows, ...logged.rows].map(({ org }) => org));
}

const hashOf = (org: string): string => createHash('sha256').update(`${org}/`).digest('hex');

async function countIn(shard: ShardConnections, org: string): Promise<number> {
  let rows = 0;
  for (const [service, client] of Object.entries(shard)) rows += rowsIn(await digestsOf(client, service as never, org));
  return rows;
}

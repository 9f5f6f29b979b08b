import type pg from 'pg';
import type { ServiceName } from '@holdfast/contracts';
import { organizationKey } from '@holdfast/platform';
import { eachService, type ShardConnections } from './connections.js';
import { deleteRows, deleteRowsWithin, inTransaction } from './copy-rows.js';
import { fence, fenceOf } from './fences.js';
import { movedServices } from './shard-databases.js';

/** Fences a deleted organization for good, on its own shard and on those that it has moved away from. */
export async function fenceDeleted(
  org: string,
  own: ShardConnections,
  shards: readonly ShardConnections[],
): Promise<void> {
  for (const shard of shards)
    await eachService(shard, async (client, service) => {
      if (!movedServices.includes(service)) return;
      if (shard === own || (await fenceOf(client, service, org)) !== undefined)
        await fence(client, service, org, 'deleted');
    });
}

/** Deletes all rows of an organization, service by service; those of directory come last. @returns their number */
export async function deleteEverywhere(org: string, databases: readonly ShardConnections[]): Promise<number> {
  let rows = 0;
  // First, so that a command which continues knows that rows are missing.
  for (const { audit } of databases) if (audit) await rememberDeleted(audit, 'audit.erased (key)', org);
  for (const connections of databases)
    await eachService(connections, async (client, service) => {
      rows += await deleteFor(client, service, org);
    });
  return rows;
}

async function deleteFor(client: pg.Client, service: ServiceName, org: string): Promise<number> {
  if (service !== 'directory') {
    if (service === 'auth')
      await client.query("DELETE FROM auth.named_lock WHERE name = 'signing key o/' || $1", [org]);
    return deleteRows(client, service, org);
  }
  return inTransaction(client, async () => {
    await client.query("DELETE FROM directory.outbox WHERE payload::json->>'org' = $1", [org]);
    // By it, the short ID is never used again, and a restore of an older backup deletes the organization again.
    await rememberDeleted(client, 'directory.erased (hash)', org);
    return deleteRowsWithin(client, service, org);
  });
}

/** Whether some rows may be missing. A folder of checkpoints still names the log, which was not lost. */
export async function hasBegunDeletion({ audit }: ShardConnections, org: string): Promise<boolean> {
  const { rows } = await audit!.query('SELECT FROM audit.erased WHERE key = $1', [organizationKey(org)]);
  return rows.length > 0;
}

/** The name of the table, with the column of the hash: `audit.erased (key)`. */
type Tombstones = 'audit.erased (key)' | 'directory.erased (hash)';

function rememberDeleted(client: pg.Client, table: Tombstones, org: string): Promise<unknown> {
  return client.query(`INSERT INTO ${table} VALUES ($1) ON CONFLICT DO NOTHING`, [organizationKey(org)]);
}

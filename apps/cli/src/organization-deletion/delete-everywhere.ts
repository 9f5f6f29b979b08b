import type pg from 'pg';
import { services, type ServiceName } from '@holdfast/contracts';
import { eachService, type ShardConnections } from '../organization-rows/connections.js';
import { deleteRows, deleteRowsWithin, inTransaction } from '../organization-rows/copy-rows.js';
import { fence, fenceOf } from '../organization-rows/fences.js';

/** Fences a deleted organization for good, on its own shard and on those that it has moved away from. */
export async function fenceDeleted(
  org: string,
  own: ShardConnections,
  shards: readonly ShardConnections[],
): Promise<void> {
  for (const shard of shards)
    await eachService(shard, async (client, service) => {
      if (!services[service].sharded) return;
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
  const { rows } = await audit!.query("SELECT FROM audit.erased WHERE key = sha256(convert_to($1 || '/', 'UTF8'))", [
    org,
  ]);
  return rows.length > 0;
}

function rememberDeleted(client: pg.Client, table: string, org: string): Promise<unknown> {
  return client.query(`INSERT INTO ${table} VALUES (sha256(convert_to($1 || '/', 'UTF8'))) ON CONFLICT DO NOTHING`, [
    org,
  ]);
}

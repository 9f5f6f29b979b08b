import type { Command } from 'commander';
import type { Action } from '@holdfast/contracts';
import { addCommand, type Json } from '../add-command.js';
import { addPendingRecords, ownerRecord } from '../audit/pending-records.js';
import { CommandError } from '../command-error.js';
import { asDatabaseOwner } from '../database-owner.js';
import { exportOrganization } from '../organization-files/export.js';
import { importOrganization } from '../organization-files/import.js';
import { readManifest } from '../organization-files/organization-file.js';
import { exportPasskeys } from '../organization-files/passkeys.js';
import { lockOrganization, withShards, type ShardConnections } from '../organization-rows/connections.js';
import { databasesOn, organizationDatabases } from '../organization-rows/organization-databases.js';
import { show } from '../output.js';

export function addOrganizationFiles(org: Command): void {
  addCommand(
    org,
    'export <shortId> <folder>',
    'write everything of an organization to a folder, for "org import": all rows, its audit log too. Secrets and ' +
      `personal data in it stay encrypted with the keys of this deployment; ${asDatabaseOwner}`,
    ['org export acme /archive/acme'],
  ).action(async (shortId: string, folder: string, { json }: Json) => {
    const rows = await read(shortId, 'org export', 'organization.export', (connections, shard) =>
      exportOrganization(shortId, shard, folder, connections),
    );
    show({ shortId, rows, folder }, json, () => `${rows} rows of ${shortId} are in ${folder}. Only you can read it.`);
  });

  addCommand(
    org,
    'passkeys <shortId> <file>',
    'write the public keys of all passkeys of the customers of an organization to a file, a line of JSON each, for a ' +
      `server of another make at the same RP ID (docs/migrate.md); ${asDatabaseOwner}`,
    ['org passkeys acme passkeys.jsonl'],
  ).action(async (shortId: string, file: string, { json }: Json) => {
    const passkeys = await read(shortId, 'org passkeys', 'organization.export_passkeys', ({ issuance }) =>
      exportPasskeys(shortId, file, issuance!),
    );
    show({ shortId, passkeys, file }, json, () => `${passkeys} passkeys of ${shortId} are in ${file}.`);
  });

  addCommand(
    org,
    'import <folder>',
    'bring an organization back that was deleted, from a folder of "org export": of this deployment and version. It ' +
      `stays suspended until "org resume"; ${asDatabaseOwner}`,
    ['org import /archive/acme'],
  ).action(async (folder: string, { json }: Json) => {
    const manifest = await readManifest(folder);
    const databases = organizationDatabases();
    const { org: shortId, shard } = manifest;
    const rows = await withShards([databasesOn(shard, databases)], databases.tls, async (connections) => {
      await lockOrganization(connections, shortId);
      return importOrganization(manifest, folder, connections);
    });
    show(
      { shortId, rows },
      json,
      () => `${rows} rows of ${shortId} are back. Let it in: holdfast org resume ${shortId}`,
    );
  });
}

/** Reads the databases of an organization. Its log has the record before the first row is read. */
async function read<T>(
  org: string,
  command: string,
  action: Action,
  work: (connections: ShardConnections, shard: string) => Promise<T>,
): Promise<T> {
  const databases = organizationDatabases();
  const shard = await withShards([databases.common], databases.tls, (common) => shardOf(common, org));
  return withShards([databasesOn(shard, databases)], databases.tls, async (connections) => {
    await addPendingRecords(connections.audit!, [{ org, record: ownerRecord(command, org, action) }]);
    return work(connections, shard);
  });
}

async function shardOf({ directory }: ShardConnections, org: string): Promise<string> {
  const { rows } = await directory!.query<{ shard: string }>(
    'SELECT shard FROM directory.organization WHERE short_id = $1',
    [org],
  );
  if (!rows[0]) throw new CommandError(`There is no organization "${org}" in this database.`);
  return rows[0].shard;
}

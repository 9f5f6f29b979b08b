import { databaseServices, mainShard, type ServiceName } from '@holdfast/contracts';
import type { DatabaseTlsFiles } from '@holdfast/platform';
import { CommandError } from '../command-error.js';
import { hasShardDatabases, ownerConnections } from '../config.js';
import { movedServices, shardDatabases, type ShardDatabases } from './shard-databases.js';

/** The services that all shards share: they come last, since directory says that the organization exists. */
const common: readonly ServiceName[] = databaseServices
  .filter((service) => !movedServices.includes(service))
  .toSorted((a, b) => Number(a === 'directory') - Number(b === 'directory'));

/** The databases in which organizations have rows. */
export interface OrganizationDatabases {
  tls: DatabaseTlsFiles;
  /** Of each shard, by its name. */
  shards: Readonly<Record<string, ShardDatabases>>;
  /** Of auth and directory. */
  common: ShardDatabases;
}

/** By DATABASE_URL, and with several shards by SHARD_DATABASE_URLS. @throws CommandError when an address is missing */
export function organizationDatabases(): OrganizationDatabases {
  if (hasShardDatabases()) {
    const all = shardDatabases();
    return {
      tls: all.tls,
      shards: Object.fromEntries(all.shards.map((shard) => [shard, all.of(shard)])),
      common: all.of(mainShard, common),
    };
  }
  const owners = ownerConnections();
  const urlsOf = (wanted: readonly ServiceName[]): ShardDatabases =>
    Object.fromEntries(wanted.map((service) => [service, owners.find((o) => o.services.includes(service))!.url]));
  return {
    tls: owners[0]!,
    shards: { [mainShard]: urlsOf(movedServices) },
    common: urlsOf(common),
  };
}

/** All databases of an organization on this shard, in the order in which its rows are deleted. @throws CommandError */
export function databasesOn(shard: string, { shards, common: shared }: OrganizationDatabases): ShardDatabases {
  const own = shards[shard];
  if (!own) throw new CommandError(`Set SHARD_DATABASE_URLS: the organization is on the shard ${shard}.`);
  return { ...own, ...shared };
}

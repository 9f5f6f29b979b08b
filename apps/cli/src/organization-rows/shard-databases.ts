import { z } from 'zod';
import { databaseServices, services, shardName, type ServiceName } from '@holdfast/contracts';
import { databaseTlsFiles, loadConfig, namedValues, type DatabaseTlsFiles } from '@holdfast/platform';
import { CommandError } from '../command-error.js';

/** The services whose databases hold the rows of an organization. */
export const movedServices = databaseServices.filter((service) => services[service].sharded);

/** Databases of a shard, by service. */
export type ShardDatabases = Readonly<Record<string, string>>;

const howTo =
  'Set SHARD_DATABASE_URLS to the databases of all shards, with their owner as the user: ' +
  'main=postgresql://…;eu2=postgresql://… For a service with a database of its own add eu2.audit=postgresql://… ' +
  'DATABASE_CERT_FILE and DATABASE_KEY_FILE are set together, or not at all.';

/** `<shard>=<url>` or `<shard>.<service>=<url>`, separated by `;`. */
const schema = z.object({
  SHARD_DATABASE_URLS: namedValues(z.string().regex(/^[a-z][a-z0-9-]*(\.[a-z]+)?$/), z.url()).transform(
    (urls) => new Map(Object.entries(urls)),
  ),
  DATABASE_CA_FILE: z.string().optional(),
  DATABASE_CERT_FILE: z.string().optional(),
  DATABASE_KEY_FILE: z.string().optional(),
});

export interface ShardDatabaseConfig {
  tls: DatabaseTlsFiles;
  /** The shards that have an address. */
  shards: string[];
  /** @param of by default the services that each shard has. @throws CommandError when one has no address */
  of(shard: string, of?: readonly ServiceName[]): ShardDatabases;
}

export function shardDatabases(): ShardDatabaseConfig {
  let config: z.output<typeof schema>;
  let tls: DatabaseTlsFiles;
  try {
    config = loadConfig(schema);
    tls = databaseTlsFiles(config);
  } catch {
    throw new CommandError(howTo);
  }
  const { SHARD_DATABASE_URLS: urls } = config;
  const urlOf = (shard: string, service: ServiceName) => urls.get(`${shard}.${service}`) ?? urls.get(shard);
  return {
    tls,
    shards: [...new Set([...urls.keys()].map((name) => name.split('.')[0]!))].filter(
      (name) => shardName.safeParse(name).success,
    ),
    of(shard, of = movedServices) {
      const missing = of.filter((service) => urlOf(shard, service) === undefined);
      if (missing.length > 0)
        throw new CommandError(`There is no database of ${missing.join(', ')} of the shard ${shard}. ${howTo}`);
      return Object.fromEntries(of.map((service) => [service, urlOf(shard, service)!]));
    },
  };
}

import pg from 'pg';
import type { ServiceName } from '@holdfast/contracts';
import { databaseTls, databaseUrl, type DatabaseTlsFiles } from '@holdfast/platform';
import { CommandError } from '../command-error.js';
import type { ShardDatabases } from './shard-databases.js';

/** One connection to the database of each moved service of a shard. */
export type ShardConnections = Readonly<Record<string, pg.Client>>;

/** Text of rows must be the same on both sides, whatever the servers' settings. */
const session = [
  "SET DateStyle = 'ISO'",
  "SET IntervalStyle = 'postgres'",
  "SET TimeZone = 'UTC'",
  "SET bytea_output = 'hex'",
  'SET extra_float_digits = 1',
  'SET statement_timeout = 0',
  'SET idle_in_transaction_session_timeout = 0',
].join('; ');

/** Connects to all databases of the shards as their owner, for the time of `work`. @throws CommandError */
export async function withShards<T>(
  shards: readonly ShardDatabases[],
  tls: DatabaseTlsFiles,
  work: (...connections: ShardConnections[]) => Promise<T>,
): Promise<T> {
  const open: pg.Client[] = [];
  const connect = async (url: string): Promise<pg.Client> => {
    const client = new pg.Client({
      connectionString: databaseUrl(url, tls),
      ssl: databaseTls(tls),
      connectionTimeoutMillis: 10_000,
      keepAlive: true,
    });
    client.on('error', () => undefined);
    open.push(client);
    const { host, pathname } = new URL(url);
    await client.connect().catch((error: Error) => {
      throw new CommandError(`Connecting to ${host}${pathname} failed: ${error.message}`);
    });
    await client.query(session);
    return client;
  };
  try {
    const connections: ShardConnections[] = [];
    for (const shard of shards) {
      const services: Record<string, pg.Client> = {};
      for (const [service, url] of Object.entries(shard)) services[service] = await connect(url);
      connections.push(services);
    }
    return await work(...connections);
  } finally {
    for (const client of open) await client.end().catch(() => undefined);
  }
}

/** One command at a time moves, deletes or imports an organization: another one could undo what this one continues. */
export async function lockOrganization({ audit }: ShardConnections, org: string): Promise<void> {
  const { rows } = await audit!.query<{ locked: boolean }>(
    "SELECT pg_try_advisory_lock(hashtextextended('holdfast org move ' || $1, 0)) AS locked",
    [org],
  );
  if (!rows[0]!.locked) throw new CommandError(`Another command is moving, deleting or importing ${org} right now.`);
}

/** For each moved service, one after the other. */
export async function eachService(
  connections: ShardConnections,
  work: (client: pg.Client, service: ServiceName) => Promise<void>,
): Promise<void> {
  for (const [service, client] of Object.entries(connections)) await work(client, service as ServiceName);
}

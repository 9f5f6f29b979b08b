import type pg from 'pg';
import type { OwnerConnection } from '../config.js';
import { asOwner } from '../database-owner.js';

const statementTimeoutMs = 10_000;
/** Settings that matter for performance, durability and limits. None holds a name, a host or a secret. */
const settings = [
  ...[
    'server_version',
    'max_connections',
    'shared_buffers',
    'work_mem',
    'maintenance_work_mem',
    'effective_cache_size',
  ],
  ...['wal_level', 'max_wal_size', 'synchronous_commit', 'fsync', 'full_page_writes', 'checkpoint_timeout'],
  ...['autovacuum', 'autovacuum_vacuum_scale_factor', 'autovacuum_max_workers', 'statement_timeout', 'lock_timeout'],
  ...['idle_in_transaction_session_timeout', 'random_page_cost', 'jit', 'max_prepared_transactions', 'hot_standby'],
  ...['default_transaction_isolation', 'data_checksums', 'server_encoding', 'lc_collate', 'TimeZone', 'ssl'],
];

export interface DatabaseReport {
  /** Whose tables it has. */
  services: readonly string[];
  settings: Record<string, string>;
  /** Names of the applied migrations, by service. */
  migrations: Record<string, string[] | string>;
  /** Sizes in bytes; numbers of rows as PostgreSQL estimates them. */
  tables: { table: string; bytes: number; rows: number; deadRows: number; lastAutovacuum: string | null }[];
  /** Connections by role and state. */
  connections: { role: string; state: string; count: number }[];
}

/** What PostgreSQL says of itself and of the tables, without any row of them. */
export function databaseReport(owner: OwnerConnection): Promise<DatabaseReport> {
  return asOwner(owner, 'Connecting', async (client) => {
    await client.query(`SET statement_timeout = ${statementTimeoutMs}`);
    const rows = async <Row extends pg.QueryResultRow>(text: string, values: unknown[] = []): Promise<Row[]> =>
      (await client.query<Row>(text, values)).rows;
    const migrations: DatabaseReport['migrations'] = {};
    for (const service of owner.services)
      migrations[service] = await rows<{ name: string }>(`SELECT name FROM "${service}".migrations ORDER BY id`).then(
        (found) => found.map(({ name }) => name),
        (error: Error) => `not available: ${error.message}`,
      );
    return {
      services: owner.services,
      settings: Object.fromEntries(
        (
          await rows<{ name: string; value: string }>(
            `SELECT name, setting || coalesce(' ' || unit, '') AS value FROM pg_settings
             WHERE name = ANY ($1) ORDER BY name`,
            [settings],
          )
        ).map(({ name, value }) => [name, value]),
      ),
      migrations,
      tables: await rows(
        `SELECT schemaname || '.' || relname AS table, pg_total_relation_size(relid)::float8 AS bytes,
           n_live_tup::float8 AS rows, n_dead_tup::float8 AS "deadRows", last_autovacuum AS "lastAutovacuum"
         FROM pg_stat_user_tables WHERE schemaname = ANY ($1) ORDER BY 2 DESC LIMIT 500`,
        [owner.services],
      ),
      connections: await rows(
        `SELECT CASE WHEN usename LIKE 'holdfast\\_%' THEN usename::text ELSE 'another' END AS role,
           coalesce(state, 'none') AS state, count(*)::int AS count
         FROM pg_stat_activity WHERE backend_type = 'client backend' GROUP BY 1, 2 ORDER BY 1, 2`,
      ),
    };
  });
}

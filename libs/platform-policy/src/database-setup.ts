import {
  contracts,
  databaseRole,
  databaseServices,
  migrationLock,
  watermarksSchema,
  type ServiceName,
} from '@holdfast/contracts';

/** Per read model: who announces to it that it is behind. */
export function watermarkWriters(): { readModel: ServiceName; writers: ServiceName[] }[] {
  const models = new Map<ServiceName, Set<ServiceName>>();
  for (const { visibleIn, service } of contracts) {
    if (visibleIn) models.set(visibleIn, (models.get(visibleIn) ?? new Set()).add(service));
  }
  return [...models].map(([readModel, writers]) => ({ readModel, writers: [...writers] }));
}

function quote(value: string): string {
  return `'${value.replaceAll("'", "''")}'`;
}

/**
 * Of one role, at most: three replicas with their pools of 12. More need `DB_CONNECTIONS` at `holdfast database setup`.
 */
export const defaultConnectionLimit = 40;

export interface DatabaseSetupOptions {
  /** Password of each service's role. */
  passwords: Record<string, string>;
  /** Connections of one service's role, at most; of all replicas together, and twice that while they are replaced. */
  connectionLimit?: number;
}

/**
 * Defaults of a service's sessions. A role may change each of them for itself, in a session and for later ones:
 * PostgreSQL has no way to forbid that. What a stolen role cannot get rid of is in `limits`.
 */
const settings = (service: ServiceName): [name: string, value: string][] => [
  ['search_path', service],
  // A killed client must not hold its locks for longer than a command may take.
  ['idle_in_transaction_session_timeout', "'5s'"],
  ['statement_timeout', "'15s'"],
  // One plan a prepared statement for all values: planning costs more than most statements, and without statistics of
  // the values (docs/adr/0023-no-planner-statistics.md) a plan made for certain ones is no better.
  ['plan_cache_mode', 'force_generic_plan'],
  // Such a plan may be made while its tables are nearly empty, and kept: what reads a table from end to end is cheap
  // then. Each statement has its index, and looks into it row by row.
  ['enable_seqscan', 'off'],
  ['enable_hashjoin', 'off'],
  ['enable_mergejoin', 'off'],
  ['jit', 'off'],
];

/** What a role could harm the others with, though it may read none of their rows. A role cannot undo any of it. */
function limits(service: ServiceName, connectionLimit: number): string[] {
  const role = databaseRole(service);
  return [
    `ALTER ROLE ${role} CONNECTION LIMIT ${connectionLimit}`,
    // Of a superuser only, as the next ones: a managed database whose owner is none goes without.
    `DO $$ BEGIN ALTER ROLE ${role} SET temp_file_limit = '1GB'; EXCEPTION WHEN insufficient_privilege THEN NULL; END $$`,
  ];
}

/**
 * Rights that PostgreSQL gives to everybody: temporary tables and large objects, with which a role can fill the disk;
 * advisory locks, which belong to the whole database, so that one role could hold up another; messages written to the
 * write-ahead log. Nothing here needs them.
 */
const takenFromAll = [
  `DO $$ BEGIN EXECUTE format('REVOKE TEMPORARY, CREATE ON DATABASE %I FROM PUBLIC', current_database()); END $$`,
  `DO $$ DECLARE f regprocedure; BEGIN
     FOR f IN SELECT oid::regprocedure FROM pg_proc WHERE pronamespace = 'pg_catalog'::regnamespace
       AND (proname ~ '^lo_' OR proname IN ('loread', 'lowrite', 'pg_logical_emit_message') OR proname ~ '^pg_(try_)?advisory_')
     LOOP EXECUTE format('REVOKE EXECUTE ON FUNCTION %s FROM PUBLIC', f); END LOOP;
   EXCEPTION WHEN insufficient_privilege THEN NULL; END $$`,
];

/**
 * Roles, schemas and grants, as statements for the owner of the database; each may be run again. Tables come by the
 * migrations, as the owner; a service's role may read and write rows of its own schema and nothing else.
 */
export function databaseSetup({ passwords, connectionLimit = defaultConnectionLimit }: DatabaseSetupOptions): string[] {
  const statements = [
    'REVOKE ALL ON SCHEMA public FROM PUBLIC',
    ...takenFromAll,
    `CREATE SCHEMA IF NOT EXISTS ${watermarksSchema}`,
  ];
  for (const service of databaseServices) {
    const role = databaseRole(service);
    const password = passwords[service];
    if (!password) throw new Error(`no database password for ${service}`);
    const set = settings(service).map(([name, value]) => `ALTER ROLE ${role} SET ${name} = ${value};`);
    statements.push(
      `DO $$ BEGIN CREATE ROLE ${role} LOGIN; EXCEPTION WHEN duplicate_object OR unique_violation THEN NULL; END $$`,
      `ALTER ROLE ${role} WITH LOGIN NOSUPERUSER NOCREATEDB NOCREATEROLE PASSWORD ${quote(password)}`,
      // In one statement, so that no session begins in between. What the role has set for itself goes.
      `DO $$ BEGIN ALTER ROLE ${role} RESET ALL; ${set.join(' ')} END $$`,
      ...limits(service, connectionLimit),
      `CREATE SCHEMA IF NOT EXISTS ${service}`,
      `GRANT USAGE ON SCHEMA ${service} TO ${role}`,
      `ALTER DEFAULT PRIVILEGES IN SCHEMA ${service} GRANT SELECT, INSERT, UPDATE, DELETE ON TABLES TO ${role}`,
      `ALTER DEFAULT PRIVILEGES IN SCHEMA ${service} GRANT USAGE ON SEQUENCES TO ${role}`,
    );
  }
  for (const { readModel, writers } of watermarkWriters()) {
    const table = `${watermarksSchema}.${readModel}`;
    statements.push(
      `CREATE TABLE IF NOT EXISTS ${table} (org text NOT NULL, aggregate bytea NOT NULL, version bigint NOT NULL, at timestamptz(3) NOT NULL DEFAULT now(), PRIMARY KEY (org, aggregate))`,
      // As in the schemas of the services, see keepNoStatistics.
      `ALTER TABLE ${table} ${['org', 'aggregate', 'version', 'at'].map((column) => `ALTER ${column} SET STATISTICS 0`).join(', ')}`,
      ...[readModel, ...writers].map((s) => `GRANT USAGE ON SCHEMA ${watermarksSchema} TO ${databaseRole(s)}`),
      `GRANT SELECT, DELETE ON ${table} TO ${databaseRole(readModel)}`,
      // UPDATE and SELECT too: raising a mark is INSERT … ON CONFLICT DO UPDATE.
      ...writers.map((s) => `GRANT SELECT, INSERT, UPDATE ON ${table} TO ${databaseRole(s)}`),
    );
  }
  return [
    ...statements,
    ...databaseServices.map((service) => `CREATE TABLE IF NOT EXISTS ${migrationLock(service)} ()`),
  ];
}

import {
  contracts,
  databaseRole,
  databaseServices,
  migrationLock,
  watermarksSchema,
  type ServiceName,
} from '@holdfast/contracts';
import { defaultConnectionLimit } from './connection-limit.js';

/** The services that raise watermarks, per read model. */
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

export interface DatabaseSetupOptions {
  /** Password of each role that is created. */
  passwords: Record<string, string>;
  /** The services whose database this is: all of them by default (docs/adr/0048-database-per-service.md). */
  services?: readonly ServiceName[];
  /** Maximum connections of a service's role: of all its replicas, and twice that during a rolling update. */
  connectionLimit?: number;
}

/**
 * Defaults of a service's sessions. PostgreSQL lets a role change them for itself, so they are no protection against a
 * stolen role. `limits` has those that a role cannot change.
 */
const settings = (service: ServiceName): [name: string, value: string][] => [
  ['search_path', service],
  // A killed client must not hold its locks for longer than a command may take.
  ['idle_in_transaction_session_timeout', "'5s'"],
  ['statement_timeout', "'15s'"],
  // One plan per prepared statement for all values: planning costs more than running most statements, and without
  // statistics (docs/adr/0023-no-planner-statistics.md) a plan for particular values is no better.
  ['plan_cache_mode', 'force_generic_plan'],
  // A plan that is made while its tables are nearly empty is kept, and then reading whole tables looks cheap. Every
  // statement has an index to use instead.
  ['enable_seqscan', 'off'],
  ['enable_hashjoin', 'off'],
  ['enable_mergejoin', 'off'],
  ['jit', 'off'],
];

/** Limits of resources that a stolen role could exhaust for the others. The role cannot change them. */
function limits(service: ServiceName, connectionLimit: number): string[] {
  const role = databaseRole(service);
  return [
    `ALTER ROLE ${role} CONNECTION LIMIT ${connectionLimit}`,
    // Only a superuser may set it, so a managed database goes without.
    `DO $$ BEGIN ALTER ROLE ${role} SET temp_file_limit = '1GB';
     EXCEPTION WHEN insufficient_privilege THEN NULL; END $$`,
  ];
}

/**
 * Revokes rights that PostgreSQL grants to every role and Holdfast does not need: temporary tables, large objects and
 * messages in the write-ahead log, with which a role can fill the disk, and advisory locks, which belong to the whole
 * database, so that one role could block another.
 */
const revokedFromPublic = [
  `DO $$ BEGIN EXECUTE format('REVOKE TEMPORARY, CREATE ON DATABASE %I FROM PUBLIC', current_database()); END $$`,
  `DO $$ DECLARE f regprocedure; BEGIN
     FOR f IN SELECT oid::regprocedure FROM pg_proc WHERE pronamespace = 'pg_catalog'::regnamespace
       AND (proname ~ '^lo_' OR proname ~ '^pg_(try_)?advisory_'
         OR proname IN ('loread', 'lowrite', 'pg_logical_emit_message'))
     LOOP EXECUTE format('REVOKE EXECUTE ON FUNCTION %s FROM PUBLIC', f); END LOOP;
   EXCEPTION WHEN insufficient_privilege THEN NULL; END $$`,
];

/** Attributes that a service's role must not have: the column of pg_roles, and the option that removes it. */
const forbiddenAttributes = [
  ['rolsuper', 'NOSUPERUSER'],
  ['rolcreatedb', 'NOCREATEDB'],
  ['rolcreaterole', 'NOCREATEROLE'],
  ['rolreplication', 'NOREPLICATION'],
  ['rolbypassrls', 'NOBYPASSRLS'],
] as const;

/**
 * Removes the attributes that the role has. PostgreSQL lets only a role with an attribute mention it, even to remove
 * what is not there, and the owner of a managed database is no superuser.
 */
function withoutPrivileges(role: string): string {
  const checks = forbiddenAttributes.map(([column, option]) => {
    const has = `EXISTS (SELECT FROM pg_roles WHERE rolname = '${role}' AND ${column})`;
    return `IF ${has} THEN ALTER ROLE ${role} ${option}; END IF;`;
  });
  return `DO $$ BEGIN ${checks.join(' ')} END $$`;
}

/** The services that connect to the database of these: they themselves, and those that raise watermarks in it. */
export function databaseUsers(services: readonly ServiceName[]): ServiceName[] {
  const writers = watermarkWriters().flatMap((w) => (services.includes(w.readModel) ? w.writers : []));
  return databaseServices.filter((service) => services.includes(service) || writers.includes(service));
}

/** The login of a service, with its limits. By itself it may access nothing. */
function createRole(service: ServiceName, password: string | undefined, connectionLimit: number): string[] {
  if (!password) throw new Error(`no database password for ${service}`);
  const role = databaseRole(service);
  const set = settings(service).map(([name, value]) => `ALTER ROLE ${role} SET ${name} = ${value};`);
  return [
    `DO $$ BEGIN CREATE ROLE ${role} LOGIN; EXCEPTION WHEN duplicate_object OR unique_violation THEN NULL; END $$`,
    `ALTER ROLE ${role} WITH LOGIN PASSWORD ${quote(password)}`,
    withoutPrivileges(role),
    // One statement, so that no session begins in between. It also removes what the role has set for itself.
    `DO $$ BEGIN ALTER ROLE ${role} RESET ALL; ${set.join(' ')} END $$`,
    ...limits(service, connectionLimit),
  ];
}

/**
 * Roles, schemas and grants, as idempotent statements for the owner of the database. Migrations create the tables, as
 * the owner. A service's role may read and write rows of its own schema and nothing else; in another service's database
 * it exists only to raise watermarks.
 */
export function databaseSetup({
  passwords,
  services = databaseServices,
  connectionLimit = defaultConnectionLimit,
}: DatabaseSetupOptions): string[] {
  const statements = [
    'REVOKE ALL ON SCHEMA public FROM PUBLIC',
    ...revokedFromPublic,
    `CREATE SCHEMA IF NOT EXISTS ${watermarksSchema}`,
    ...databaseUsers(services).flatMap((service) => createRole(service, passwords[service], connectionLimit)),
  ];
  for (const service of services) {
    const role = databaseRole(service);
    statements.push(
      `CREATE SCHEMA IF NOT EXISTS ${service}`,
      `GRANT USAGE ON SCHEMA ${service} TO ${role}`,
      `ALTER DEFAULT PRIVILEGES IN SCHEMA ${service} GRANT SELECT, INSERT, UPDATE, DELETE ON TABLES TO ${role}`,
      `ALTER DEFAULT PRIVILEGES IN SCHEMA ${service} GRANT USAGE ON SEQUENCES TO ${role}`,
    );
  }
  for (const { readModel, writers } of watermarkWriters()) {
    if (!services.includes(readModel)) continue;
    const table = `${watermarksSchema}.${readModel}`;
    const withoutStatistics = ['org', 'aggregate', 'version', 'at']
      .map((column) => `ALTER ${column} SET STATISTICS 0`)
      .join(', ');
    statements.push(
      `CREATE TABLE IF NOT EXISTS ${table} (
         org text NOT NULL, aggregate bytea NOT NULL, version bigint NOT NULL,
         at timestamptz(3) NOT NULL DEFAULT now(), PRIMARY KEY (org, aggregate))`,
      // As in the schemas of the services, see keepNoStatistics.
      `ALTER TABLE ${table} ${withoutStatistics}`,
      ...[readModel, ...writers].map((s) => `GRANT USAGE ON SCHEMA ${watermarksSchema} TO ${databaseRole(s)}`),
      `GRANT SELECT, DELETE ON ${table} TO ${databaseRole(readModel)}`,
      // UPDATE and SELECT too, since a watermark is raised with INSERT … ON CONFLICT DO UPDATE.
      ...writers.map((s) => `GRANT SELECT, INSERT, UPDATE ON ${table} TO ${databaseRole(s)}`),
    );
  }
  return [...statements, ...services.map((service) => `CREATE TABLE IF NOT EXISTS ${migrationLock(service)} ()`)];
}

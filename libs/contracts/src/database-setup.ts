import { contracts } from './contract.js';
import { serviceNames, services, type ServiceName } from './services.js';

/** The schema of high-water marks: the one place two services share, see docs/adr/0004-read-your-own-write.md. */
export const marksSchema = 'marks';

/** Services with a database: each one's schema has its name. */
export const databaseServices = serviceNames.filter((s) => services[s].database);

/** The role with which a service connects. It owns nothing and sees only its own schema. */
export function databaseRole(service: ServiceName): string {
  return `holdfast_${service}`;
}

/** Per read model: who announces to it that it is behind. */
export function markWriters(): { readModel: ServiceName; writers: ServiceName[] }[] {
  const models = new Map<ServiceName, Set<ServiceName>>();
  for (const { visibleIn, service } of contracts()) {
    if (visibleIn) models.set(visibleIn, (models.get(visibleIn) ?? new Set()).add(service));
  }
  return [...models].map(([readModel, writers]) => ({ readModel, writers: [...writers] }));
}

function quote(value: string): string {
  return `'${value.replaceAll("'", "''")}'`;
}

export interface DatabaseSetupOptions {
  /** Password of each service's role. */
  passwords: Record<string, string>;
}

/**
 * Roles, schemas and grants, as statements for the owner of the database; each may be run again. Tables come by the
 * migrations, as the owner; a service's role may read and write rows of its own schema and nothing else.
 */
export function databaseSetup({ passwords }: DatabaseSetupOptions): string[] {
  const statements = ['REVOKE ALL ON SCHEMA public FROM PUBLIC', `CREATE SCHEMA IF NOT EXISTS ${marksSchema}`];
  for (const service of databaseServices) {
    const role = databaseRole(service);
    const password = passwords[service];
    if (!password) throw new Error(`no database password for ${service}`);
    statements.push(
      `DO $$ BEGIN CREATE ROLE ${role} LOGIN; EXCEPTION WHEN duplicate_object OR unique_violation THEN NULL; END $$`,
      `ALTER ROLE ${role} WITH LOGIN NOSUPERUSER NOCREATEDB NOCREATEROLE PASSWORD ${quote(password)}`,
      // A killed client must not hold its locks for longer than a command may take.
      `ALTER ROLE ${role} SET idle_in_transaction_session_timeout = '5s'`,
      `ALTER ROLE ${role} SET search_path = ${service}`,
      `CREATE SCHEMA IF NOT EXISTS ${service}`,
      `GRANT USAGE ON SCHEMA ${service} TO ${role}`,
      `ALTER DEFAULT PRIVILEGES IN SCHEMA ${service} GRANT SELECT, INSERT, UPDATE, DELETE ON TABLES TO ${role}`,
      `ALTER DEFAULT PRIVILEGES IN SCHEMA ${service} GRANT USAGE ON SEQUENCES TO ${role}`,
    );
  }
  for (const { readModel, writers } of markWriters()) {
    const table = `${marksSchema}.${readModel}`;
    statements.push(
      `CREATE TABLE IF NOT EXISTS ${table} (org text NOT NULL, aggregate bytea NOT NULL, version bigint NOT NULL, at timestamptz(3) NOT NULL DEFAULT now(), PRIMARY KEY (org, aggregate))`,
      ...[readModel, ...writers].map((s) => `GRANT USAGE ON SCHEMA ${marksSchema} TO ${databaseRole(s)}`),
      `GRANT SELECT, DELETE ON ${table} TO ${databaseRole(readModel)}`,
      // UPDATE and SELECT too: raising a mark is INSERT … ON CONFLICT DO UPDATE.
      ...writers.map((s) => `GRANT SELECT, INSERT, UPDATE ON ${table} TO ${databaseRole(s)}`),
    );
  }
  return statements;
}

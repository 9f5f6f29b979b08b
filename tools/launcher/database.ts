import { join } from 'node:path';
import pg from 'pg';
import { databaseServices, type ServiceName } from '@holdfast/contracts';
import { databaseSetup, type Secrets } from '@holdfast/platform-policy';
import { ReportedError } from '../infra/console.ts';
import { root } from '../setup/paths.mjs';
import type { Jobs } from './jobs.ts';
import { areApplied, noteApplied } from './migrations.ts';
import { databasePasswords } from './secrets.ts';
import type { Addresses } from './service-env.ts';

/** The database of the launcher's own server. DATABASE_URL names that of an external one. */
export const databaseName = 'holdfast';

export async function createDatabases(maintenanceUrl: string, urls: string[]): Promise<void> {
  await withClient(maintenanceUrl, async (client) => {
    for (const url of urls) {
      const name = new URL(url).pathname.slice(1);
      const { rowCount } = await client.query('SELECT 1 FROM pg_database WHERE datname = $1', [name]);
      if (!rowCount) await client.query(`CREATE DATABASE ${name}`);
    }
  });
}

/** The URL of a database for each service, on the same server. */
export function ownDatabaseUrls(ownerUrl: string): Partial<Record<ServiceName, string>> {
  const url = new URL(ownerUrl);
  return Object.fromEntries(
    databaseServices.map((service) => [
      service,
      Object.assign(new URL(url), { pathname: `/${databaseName}_${service}` }).href,
    ]),
  );
}

/**
 * Creates roles, schemas and grants, then each service's tables. May be repeated on a stack that has them: then no
 * migration runs.
 */
export async function setUpDatabases(
  { databaseUrl, databaseUrls }: Pick<Addresses, 'databaseUrl' | 'databaseUrls'>,
  secrets: Secrets,
  jobs: Jobs,
  build: string,
): Promise<void> {
  const urlOf = (service: ServiceName): string => databaseUrls?.[service] ?? databaseUrl;
  const passwords = databasePasswords(secrets);
  const missing: ServiceName[] = [];
  const databases = Map.groupBy(databaseServices, urlOf);
  for (const [url, services] of databases)
    await withClient(url, async (client) => {
      for (const statement of databaseSetup({ passwords, services })) await client.query(statement);
      for (const service of services) if (!(await areApplied(client, service, build))) missing.push(service);
    });
  if (missing.length === 0) return;
  await jobs.run('The migrations', [join(root, 'tools', 'launcher', 'migrate.ts'), build], {
    DATABASES: JSON.stringify(Object.fromEntries(missing.map((service) => [service, urlOf(service)]))),
  });
  for (const [url, services] of databases)
    await withClient(url, async (client) => {
      for (const service of services) if (missing.includes(service)) await noteApplied(client, service, build);
    });
}

async function withClient(connectionString: string, work: (client: pg.Client) => Promise<void>): Promise<void> {
  const client = new pg.Client({ connectionString, connectionTimeoutMillis: 10_000 });
  client.on('error', () => undefined);
  try {
    await client.connect();
    await work(client);
  } catch (error) {
    const { host, pathname } = new URL(connectionString);
    throw new ReportedError(`Setting up the database at ${host}${pathname} failed: ${(error as Error).message}`);
  } finally {
    await client.end().catch(() => undefined);
  }
}

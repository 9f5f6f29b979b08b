import { join } from 'node:path';
import pg from 'pg';
import { databaseServices } from '@holdfast/contracts';
import { databaseSetup, type Secrets } from '@holdfast/platform-policy';
import { ReportedError } from '../infra/console.ts';
import type { Jobs } from './jobs.ts';
import { databasePasswords } from './secrets.ts';

/** The database of the launcher's own server. DATABASE_URL names that of an external one. */
export const databaseName = 'holdfast';

export async function createDatabase(maintenanceUrl: string): Promise<void> {
  await withClient(maintenanceUrl, async (client) => {
    const { rowCount } = await client.query('SELECT 1 FROM pg_database WHERE datname = $1', [databaseName]);
    if (!rowCount) await client.query(`CREATE DATABASE ${databaseName}`);
  });
}

/** Creates roles, schemas and grants, then each service's tables. May be repeated on a stack that has them. */
export async function setUpDatabase(ownerUrl: string, secrets: Secrets, jobs: Jobs, build: string): Promise<void> {
  await withClient(ownerUrl, async (client) => {
    for (const statement of databaseSetup({ passwords: databasePasswords(secrets) })) await client.query(statement);
  });
  const migrate = (service: string): Promise<string> =>
    jobs.run(`The migration of ${service}`, [join(build, 'apps', service, 'dist', 'migrate.js')], {
      DATABASE_URL: ownerUrl,
    });
  await Promise.all(databaseServices.map(migrate));
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

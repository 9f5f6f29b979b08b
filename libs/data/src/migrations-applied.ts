import { setTimeout as sleep } from 'node:timers/promises';
import { databaseTlsFiles, type DatabaseConfig } from '@holdfast/platform';
import { Database, statement } from './database.js';

type ConnectionConfig = Omit<DatabaseConfig, 'DATABASE_POOL'>;

const intervalMs = 2000;
const reportEveryMs = 30_000;

const applied = statement('applied_migrations', 'SELECT name FROM migrations');

/**
 * Waits, without end, until these migrations have been applied to the schema of the service. It connects as the
 * service's own role, which may not migrate: a new version starts after the job that does.
 *
 * @param names of migrations
 */
export async function untilApplied(
  config: ConnectionConfig,
  names: readonly string[],
  applicationName: string,
  report: (line: string) => void,
): Promise<void> {
  let reportedAt = -Infinity;
  for (;;) {
    const missing = await missingMigrations(config, applicationName, names).catch((error: Error) => error.message);
    if (missing === '') return;
    if (performance.now() - reportedAt > reportEveryMs) {
      reportedAt = performance.now();
      report(`waiting for the migrations of ${applicationName}: ${missing}`);
    }
    await sleep(intervalMs);
  }
}

/** Empty when none is missing. @throws Error while the database or its role does not exist yet */
async function missingMigrations(
  { DATABASE_URL: url, DATABASE_PASSWORD_FILE: passwordFile, ...files }: ConnectionConfig,
  applicationName: string,
  names: readonly string[],
): Promise<string> {
  const tls = databaseTlsFiles(files);
  const database = await Database.connect({ url, passwordFile, ...tls, pool: 1, applicationName });
  try {
    const found = new Set((await database.rows<{ name: string }>(applied)).map(({ name }) => name));
    return names.filter((name) => !found.has(name)).join(', ');
  } finally {
    await database.close();
  }
}

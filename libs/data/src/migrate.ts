import './pg-types.js';
import { DataSource, type MigrationInterface } from 'typeorm';
import { migrationLock, type ServiceName } from '@holdfast/contracts';
import {
  databaseConfigSchema,
  databaseTls,
  databaseTlsFiles,
  databaseUrl,
  loadConfig,
  type DatabaseTlsFiles,
} from '@holdfast/platform';
import { untilApplied } from './migrations-applied.js';
import { keepNoStatistics } from './no-statistics.js';

/**
 * Runs a service's migrations in its own schema, as the owner of the database. When several processes start at once,
 * one migrates and the others wait.
 */
export async function migrate(
  service: ServiceName,
  url: string,
  migrations: (new () => MigrationInterface)[],
  files: DatabaseTlsFiles = {},
): Promise<string[]> {
  const orm = new DataSource({
    type: 'postgres',
    url: databaseUrl(url, files),
    ssl: databaseTls(files),
    schema: service,
    migrations,
    migrationsTableName: 'migrations',
    // Tables are created unqualified, in the service's schema.
    extra: { options: `-c search_path=${service}`, max: 2 },
    migrationsTransactionMode: 'each',
  });
  await orm.initialize();
  const runner = orm.createQueryRunner();
  try {
    // This transaction stays open and idle until everything is done. It locks a table, because locking a row would
    // assign it a transaction id, and while a transaction with an id is open, deleted rows stay in the files
    // (keepNoStatistics).
    await runner.query('SET idle_in_transaction_session_timeout = 0');
    await runner.startTransaction();
    await runner.query(`LOCK TABLE ${migrationLock(service)} IN SHARE ROW EXCLUSIVE MODE`);
    const done = (await orm.runMigrations()).map((m) => m.name);
    await keepNoStatistics(service, (sql) => orm.query(sql));
    return done;
  } finally {
    await runner.rollbackTransaction().catch(() => undefined);
    await runner.release();
    await orm.destroy();
  }
}

/**
 * main() of a service's migrations: connects as the owner by DATABASE_URL, prints the migrations that it ran, and exits
 * with 1 on an error. With `--wait` it runs none: it waits, as the service, until another process has.
 */
export async function runMigrations(service: ServiceName, migrations: (new () => MigrationInterface)[]): Promise<void> {
  // The first process of a container ignores SIGTERM without a handler, and Kubernetes would wait until it kills it.
  process.once('SIGTERM', () => process.exit(143));
  try {
    if (process.argv.includes('--wait')) {
      const names = migrations.map((migration) => new migration().name ?? migration.name);
      const config = loadConfig(databaseConfigSchema);
      await untilApplied(config, names, service, (line) => process.stdout.write(`${line}\n`));
      return;
    }
    const { DATABASE_URL, ...files } = loadConfig(
      databaseConfigSchema.omit({ DATABASE_PASSWORD_FILE: true, DATABASE_POOL: true }),
    );
    const done = await migrate(service, DATABASE_URL, migrations, databaseTlsFiles(files));
    process.stdout.write(`${service}: ${done.length ? done.join(', ') : 'nothing to migrate'}\n`);
  } catch (error) {
    process.stderr.write(
      `${service} could not be migrated: ${error instanceof Error ? error.message : String(error)}\n`,
    );
    process.exitCode = 1;
  }
}

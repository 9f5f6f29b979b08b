import './pg-types.js';
import type { ServiceName } from '@holdfast/contracts';
import { DataSource, type MigrationInterface } from 'typeorm';

/**
 * Runs a service's migrations in its own schema, as the owner of the database. Several may start at once: one runs, the
 * others wait and find nothing left to do.
 */
export async function migrate(service: ServiceName, url: string, migrations: (new () => MigrationInterface)[]): Promise<string[]> {
  const orm = new DataSource({
    type: 'postgres',
    url,
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
    await runner.query('SELECT pg_advisory_lock(hashtext($1))', [`holdfast migrate ${service}`]);
    return (await orm.runMigrations()).map((m) => m.name);
  } finally {
    await runner.query('SELECT pg_advisory_unlock(hashtext($1))', [`holdfast migrate ${service}`]).catch(() => undefined);
    await runner.release();
    await orm.destroy();
  }
}

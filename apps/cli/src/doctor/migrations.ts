import { existsSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { databaseServices, type ServiceName } from '@holdfast/contracts';

interface Migrations {
  migrations: (new () => { name?: string })[];
}

/**
 * The migrations of this version, by service, from the services' builds. Only this check loads TypeORM and them. A
 * service whose build is not installed beside the command line is left out.
 *
 * @throws Error when a build does not run
 */
export async function migrationsOfThisVersion(): Promise<Map<ServiceName, string[]>> {
  const lists = new Map<ServiceName, string[]>();
  for (const service of databaseServices) {
    const file = migrationsFile(service);
    if (file === undefined) continue;
    const { migrations } = (await import(pathToFileURL(file).href)) as Migrations;
    lists.set(
      service,
      migrations.map((migration) => new migration().name ?? migration.name),
    );
  }
  return lists;
}

/** Resolves the package name, which works alike in a clone, an image and a bundle. */
function migrationsFile(service: ServiceName): string | undefined {
  try {
    const manifest = createRequire(import.meta.url).resolve(`@holdfast/${service}/package.json`);
    return [join(dirname(manifest), 'dist', 'migrations', 'index.js')].find(existsSync);
  } catch {
    return undefined;
  }
}

import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { databaseServices, type ServiceName } from '@holdfast/contracts';

const run = promisify(execFile);

let lists: Promise<Map<ServiceName, string[]>> | undefined;

/**
 * The migrations of this version, by service. A service whose build is not installed beside the command line is left
 * out. Each runs once, however many databases are checked, and again after
 * a failure.
 *
 * @throws Error when a build does not run
 */
export function migrationsOfThisVersion(): Promise<Map<ServiceName, string[]>> {
  lists ??= listMigrations().catch((error: unknown) => {
    lists = undefined;
    throw error;
  });
  return lists;
}

async function listMigrations(): Promise<Map<ServiceName, string[]>> {
  const services = databaseServices.map(async (service): Promise<[ServiceName, string[]][]> => {
    const program = migrationProgram(service);
    if (program === undefined) return [];
    const { stdout } = await run(process.execPath, [program, '--list'], { timeout: 60_000 });
    return [[service, JSON.parse(stdout) as string[]]];
  });
  return new Map((await Promise.all(services)).flat());
}

/** Resolves the package name, which works alike in a clone, an image and a bundle. */
function migrationProgram(service: ServiceName): string | undefined {
  try {
    const manifest = createRequire(import.meta.url).resolve(`@holdfast/${service}/package.json`);
    return [join(dirname(manifest), 'dist', 'migrate.js')].find(existsSync);
  } catch {
    return undefined;
  }
}

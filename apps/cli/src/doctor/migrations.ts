import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { databaseServices, type ServiceName } from '@holdfast/contracts';

const run = promisify(execFile);

let lists: Promise<Map<ServiceName, string[]>> | undefined;

/**
 * The migrations of this version, by service. The services' builds lie beside that of the command line, in a clone and
 * in its image; a service without one is left out. Each runs once, however many databases are checked, and again after
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
    const program = fileURLToPath(new URL(`../../../${service}/dist/migrate.js`, import.meta.url));
    if (!existsSync(program)) return [];
    const { stdout } = await run(process.execPath, [program, '--list'], { timeout: 60_000 });
    return [[service, JSON.parse(stdout) as string[]]];
  });
  return new Map((await Promise.all(services)).flat());
}

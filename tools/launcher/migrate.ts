// Started by the launcher: applies the migrations of several services in one process, since each process would load the
// same libraries. DATABASES has the owner's address by service; the argument is the folder of the build.
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';

type Migrate = (service: string, url: string, migrations: unknown[]) => Promise<string[]>;

const [build = ''] = process.argv.slice(2);
const load = (...path: string[]): Promise<unknown> => import(pathToFileURL(join(build, ...path)).href);
const { migrate } = (await load('libs', 'data', 'dist', 'index.js')) as { migrate: Migrate };
const databases = JSON.parse(process.env.DATABASES ?? '{}') as Record<string, string>;

await Promise.all(
  Object.entries(databases).map(async ([service, url]) => {
    const { migrations } = (await load('apps', service, 'dist', 'migrations', 'index.js')) as { migrations: unknown[] };
    try {
      await migrate(service, url, migrations);
    } catch (error) {
      process.stderr.write(`${service} could not be migrated: ${(error as Error).message}\n`);
      process.exit(1);
    }
  }),
);

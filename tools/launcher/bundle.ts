// Bundles the programs of a build: most of the CPU time of a start was spent on loading two to three thousand modules
// (docs/adr/0089-bundled-services.md).
import { createHash } from 'node:crypto';
import {
  cpSync,
  existsSync,
  globSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { rolldown, type LogLevel, type Plugin, type RolldownLog } from 'rolldown';
import { serviceNames } from '@holdfast/contracts';
import { readJson } from '../infra/files.ts';
import { cache, mainOf, root } from '../setup/paths.mjs';

const bundles = join(cache, 'bundles');

/** `validation-messages` sets the texts of all schemas. */
const definesOnly =
  /[\\/](?:libs[\\/](?:contracts|platform-policy|platform|messaging)[\\/]dist|zod)[\\/](?!validation-messages\.js$)/;

/** Bundles of several stacks, such as those of two versions in a test, stay for their next start. */
const maxKept = 4;

/**
 * Adds the bundles of all services and of the command line to a build: `bundle/auth.js`, with common chunks beside it.
 * The same modules are bundled once. To be called with the build lock.
 */
export async function addBundles(build: string): Promise<void> {
  const programs = [...serviceNames, 'cli'].filter((name) => existsSync(mainOf(build, name)));
  if (programs.length === 0) return;
  const bundle = join(bundles, hashOf(build, programs));
  if (!existsSync(bundle)) await write(build, programs, bundle);
  cpSync(bundle, join(build, 'bundle'), { recursive: true });
}

/** Into another folder that is renamed when it is complete. */
async function write(build: string, programs: string[], target: string): Promise<void> {
  const draft = `${target}.draft`;
  rmSync(draft, { recursive: true, force: true });
  const bundler = await rolldown({
    cwd: build,
    input: Object.fromEntries(programs.map((name) => [name, mainOf(build, name)])),
    platform: 'node',
    // TypeORM requires its driver by a variable, and the parsers that libs/data sets hold for one module.
    external: ['pg'],
    plugins: [typeormCompat],
    // Every module that is imported runs, as it does without bundles: `sideEffects` of a package is for browsers. The
    // modules of contracts define schemas, which takes long: a program runs those whose definitions it uses.
    treeshake: { moduleSideEffects: (id) => !definesOnly.test(id) },
    onLog: report,
  });
  await bundler.write({
    dir: draft,
    format: 'esm',
    // Names of classes are names of loggers, of entities and of migrations.
    keepNames: true,
    // reflect-metadata runs before every decorator, as it does without bundles.
    strictExecutionOrder: true,
    entryFileNames: '[name].js',
    chunkFileNames: '[name]-[hash].js',
  });
  await bundler.close();
  const version = readJson<{ version: string }>(join(build, 'apps', programs[0]!, 'package.json'))?.version;
  writeFileSync(join(draft, 'package.json'), JSON.stringify({ type: 'module', version }));
  renameSync(draft, target);
  const newestFirst = readdirSync(bundles)
    .map((name) => join(bundles, name))
    .sort((a, b) => statSync(b).mtimeMs - statSync(a).mtimeMs);
  for (const old of newestFirst.slice(maxKept)) rmSync(old, { recursive: true });
}

/**
 * @nestjs/typeorm requires TypeORM at run time, beside the one that is bundled, and takes two exports from it that
 * TypeORM has no more since its version 1.
 */
const typeormCompat: Plugin = {
  name: 'typeorm-compat',
  load: {
    filter: { id: /@nestjs.typeorm.dist.common.typeorm-compat\.js$/ },
    handler: () => 'export const Connection = undefined;\nexport const AbstractRepository = undefined;',
  },
};

/** Everything that the bundles are made from. */
function hashOf(build: string, programs: string[]): string {
  mkdirSync(bundles, { recursive: true });
  const modules = globSync(
    [...programs.map((name) => `apps/${name}/dist/**/*.js`), 'libs/*/dist/**/*.js', 'libs/*/package.json'],
    {
      cwd: build,
    },
  );
  const files = [
    ...modules.sort().map((name) => [name, join(build, name)]),
    ['package-lock.json', join(root, 'package-lock.json')],
    ['bundle.ts', fileURLToPath(import.meta.url)],
  ] as const;
  const hash = createHash('sha256');
  for (const [name, path] of files) hash.update(`${name}\0`).update(readFileSync(path)).update('\0');
  return hash.digest('hex').slice(0, 16);
}

/** NestJS asks for packages that are optional. They stay imports, which fail as they do without bundles. */
function report(level: LogLevel, log: RolldownLog, print: (level: LogLevel, log: RolldownLog) => void): void {
  if (!['UNRESOLVED_IMPORT', 'EVAL'].includes(log.code ?? '')) print(level, log);
}

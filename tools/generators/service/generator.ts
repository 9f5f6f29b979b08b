import { formatFiles, type Tree } from '@nx/devkit';
import { edit, pascalCase, withBefore, withImport } from '../edits.ts';

interface Options {
  name: string;
  owns: string;
}

/** From right to left of the layers (CONTRIBUTING.md "Where things go"). */
const libraries = ['service', 'messaging', 'data', 'platform', 'contracts'];
/** What every service with a database has: `baseConfigSchema` and `databaseConfigSchema`. */
const settings = [
  'DATABASE_URL',
  'DATABASE_PASSWORD_FILE',
  'DATABASE_POOL',
  'BASE_URL',
  'NATS_URL',
  'NATS_NKEY_SEED',
  'OPS_PORT',
];

/** Writes what CONTRIBUTING.md "Add a service" lists, so that what is left is the behaviour. */
export default async function serviceGenerator(tree: Tree, options: Options): Promise<void> {
  addProject(tree, options);
  addSources(tree, options);
  addContracts(tree, options);
  addContainer(tree, options);
  addImage(tree, options);
  await formatFiles(tree);
}

function addProject(tree: Tree, { name, owns }: Options): void {
  const json = (value: unknown) => `${JSON.stringify(value, undefined, 2)}\n`;
  const reference = (library: string) => ({ path: `../../libs/${library}/tsconfig.lib.json` });
  const versions = Object.fromEntries(libraries.map((library) => [`@holdfast/${library}`, '*']));
  tree.write(
    `apps/${name}/package.json`,
    json({
      name: `@holdfast/${name}`,
      version: '0.1.0',
      private: true,
      type: 'module',
      dependencies: versions,
      devDependencies: { '@holdfast/testing': '*' },
      nx: { name, tags: ['layer:app'], targets: { build: {}, typecheck: {}, test: {}, lint: {} } },
    }),
  );
  tree.write(
    `apps/${name}/tsconfig.lib.json`,
    json({
      extends: '../../tsconfig.base.json',
      compilerOptions: { rootDir: 'src', outDir: 'dist', tsBuildInfoFile: 'dist/.tsbuildinfo' },
      include: ['src/**/*.ts'],
      exclude: ['src/**/*.spec.ts', 'src/**/*.fixture.ts'],
      references: libraries.map(reference),
    }),
  );
  tree.write(
    `apps/${name}/tsconfig.spec.json`,
    json({
      extends: '../../tsconfig.base.json',
      compilerOptions: { noEmit: true, rootDir: 'src', types: ['node'] },
      include: ['src/**/*.spec.ts', 'src/**/*.fixture.ts'],
      references: [{ path: './tsconfig.lib.json' }, ...['testing', ...libraries].map(reference)],
    }),
  );
  tree.write(
    `apps/${name}/README.md`,
    `# ${name}

${owns}.

| | |
| --- | --- |
| **Owns** | schema \`${name}\` |
| **Handles** | |
| **Emits** | |
| **Consumes** | |
| **Config** | ${settings.map((setting) => `\`${setting}\``).join(' ')} |
`,
  );
}

function addSources(tree: Tree, { name }: Options): void {
  const module = `${pascalCase(name)}Module`;
  const source = (file: string, text: string) => tree.write(`apps/${name}/src/${file}`, text);
  source(
    'main.ts',
    `import { runService } from '@holdfast/service';
import { ${module} } from './app.module.js';
import { configSchema } from './config.js';

await runService(configSchema, (config) => ({
  service: '${name}',
  module: ${module},
  database: { url: config.DATABASE_URL, passwordFile: config.DATABASE_PASSWORD_FILE, pool: config.DATABASE_POOL },
}));
`,
  );
  source(
    'app.module.ts',
    `import { Module } from '@nestjs/common';

@Module({ controllers: [], providers: [] })
export class ${module} {}
`,
  );
  source(
    'config.ts',
    `import type { z } from 'zod';
import { baseConfigSchema, databaseConfigSchema } from '@holdfast/platform';

export const configSchema = baseConfigSchema.extend(databaseConfigSchema.shape);
export type ${pascalCase(name)}Config = z.output<typeof configSchema>;
`,
  );
  source(
    'migrate.ts',
    `import { runMigrations } from '@holdfast/data';
import { migrations } from './migrations/index.js';

await runMigrations('${name}', migrations);
`,
  );
  const stamp = Date.now();
  const migration = `Create${pascalCase(name)}${stamp}`;
  source(
    'migrations/index.ts',
    `import { ${migration} } from './${stamp}-create-${name}.js';\n\nexport const migrations = [${migration}];\n`,
  );
  source(
    `migrations/${stamp}-create-${name}.ts`,
    `import type { MigrationInterface, QueryRunner } from 'typeorm';

const tables: readonly string[] = [];

export class ${migration} implements MigrationInterface {
  readonly name = '${migration}';

  async up(runner: QueryRunner): Promise<void> {
    for (const table of tables) await runner.query(table);
  }

  async down(): Promise<void> {
    throw new Error('Restore a backup instead: this service loses its data without its tables.');
  }
}
`,
  );
}

/** The NATS user, the database role and the launcher's process follow from the table of services. */
function addContracts(tree: Tree, { name }: Options): void {
  const folder = 'libs/contracts/src';
  edit(tree, `${folder}/services.ts`, (text) =>
    withBefore(text, '} as const satisfies Record', `  ${name}: { database: true, http: false },\n`),
  );
  tree.write(
    `${folder}/${name}/contracts.ts`,
    `import type { Contract } from '../contract.js';

/** Every contract that ${name} handles. */
export const ${name}Contracts = [] as const satisfies readonly Contract[];
`,
  );
  edit(tree, `${folder}/registry.ts`, (text) =>
    withBefore(
      withImport(text, `${name}Contracts`, `./${name}/contracts.js`),
      '  ...Object.values(quarantines)',
      `  ...${name}Contracts,\n`,
    ),
  );
  edit(tree, `${folder}/index.ts`, (text) =>
    withBefore(text, `export * from './events/events.js';`, `export * from './${name}/contracts.js';\n`),
  );
}

function addImage(tree: Tree, { name }: Options): void {
  edit(tree, 'docker-bake.hcl', (text) => withBefore(text, ', "cli"]', `, "${name}"`));
}

function addContainer(tree: Tree, { name }: Options): void {
  edit(tree, 'docker/compose.yaml', (text) =>
    withBefore(
      text,
      "  # The operator's command line:",
      `  ${name}:
    <<: *service
    build: { context: .., dockerfile: docker/service.Dockerfile, args: { SERVICE: ${name} } }
    image: holdfast/${name}
    env_file: ../.holdfast/docker/${name}.env

`,
    ),
  );
}

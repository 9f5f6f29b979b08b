import { formatFiles, type Tree } from '@nx/devkit';
import { edit, pascalCase, withBefore, withImport } from '../edits.ts';

interface Options {
  name: string;
  owns: string;
  sharded?: boolean;
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
  const project = `apps/${options.name}/package.json`;
  if (tree.exists(project)) throw new Error(`${project} exists; choose another name.`);
  addProject(tree, options);
  addSources(tree, options);
  addTest(tree, options);
  addContracts(tree, options);
  addToRollout(tree, options);
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
      nx: { name, tags: ['layer:app'], targets: { build: {}, typecheck: {}, test: {} } },
    }),
  );
  // Editors and Oxlint find the configuration of a file by it.
  tree.write(
    `apps/${name}/tsconfig.json`,
    json({ files: [], references: [{ path: './tsconfig.lib.json' }, { path: './tsconfig.spec.json' }] }),
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

function addSources(tree: Tree, { name, sharded = true }: Options): void {
  const module = `${pascalCase(name)}Module`;
  const source = (file: string, text: string) => tree.write(`apps/${name}/src/${file}`, text);
  source(
    'main.ts',
    `import { databaseOptions, runService } from '@holdfast/service';
import { ${module} } from './app.module.js';
import { configSchema } from './config.js';

await runService(configSchema, (config) => ({
  service: '${name}',
  module: ${module},
  database: databaseOptions(config),
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
  const fences = 'OrganizationFences1764900100000';
  const migration = `Create${pascalCase(name)}${stamp}`;
  // A service of a shard refuses organizations that move to another one (docs/adr/0053-organization-moves.md).
  const fencesImport = sharded ? `import { ${fences} } from '@holdfast/data';\n` : '';
  source(
    'migrations/index.ts',
    `${fencesImport}import { ${migration} } from './${stamp}-create-${name}.js';

export const migrations = [${sharded ? `${fences}, ` : ''}${migration}];
`,
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

/** A fixture with the service, its database and its bus, which tests of endpoints use too, and a first test. */
function addTest(tree: Tree, { name }: Options): void {
  const stack = `${pascalCase(name)}Stack`;
  const module = `${pascalCase(name)}Module`;
  const source = (file: string, text: string) => tree.write(`apps/${name}/src/${file}`, text);
  source(
    `${name}-stack.fixture.ts`,
    `import { migrate } from '@holdfast/data';
import { Bus, connectBus, declareStreams } from '@holdfast/messaging';
import { createLogger } from '@holdfast/platform';
import { databaseOptions, startService, type RunningService } from '@holdfast/service';
import { createTestDatabase, patient, startTestBus, type TestBus, type TestDatabase } from '@holdfast/testing';
import { ${module} } from './app.module.js';
import { configSchema } from './config.js';
import { migrations } from './migrations/index.js';

const logger = createLogger('test', 'fatal');

/** The service in this process, with a database and a bus, and the connection of the gateway. */
export class ${stack} {
  readonly bus: Bus;
  readonly opsPort: number;

  private constructor(
    readonly database: TestDatabase,
    private readonly nats: TestBus,
    bus: Bus,
    private readonly service: RunningService,
  ) {
    this.bus = patient(bus);
    this.opsPort = service.opsPort;
  }

  static async start(): Promise<${stack}> {
    const [nats, database] = await Promise.all([
      startTestBus(),
      createTestDatabase('${name}', (url) => migrate('${name}', url, migrations), { isCopied: true }),
    ]);
    const as = (user: 'deploy' | 'gateway') => connectBus({ url: nats.url, nkeySeed: nats.seed(user), user }, logger);
    const [deploy, gateway] = [await as('deploy'), await as('gateway')];
    await declareStreams(deploy);
    await deploy.close();
    const config = configSchema.parse({
      NATS_URL: nats.url,
      NATS_NKEY_SEED: nats.seed('${name}'),
      BASE_URL: 'http://localhost:8080',
      DATABASE_URL: database.url(),
      LOG_LEVEL: 'fatal',
    });
    const options = { service: '${name}', module: ${module}, database: databaseOptions(config), logger } as const;
    return new ${stack}(database, nats, new Bus(gateway), await startService({ ...options, config }));
  }

  async stop(): Promise<void> {
    await this.service.stop();
    await this.bus.connection.close();
    await this.nats.stop();
    await this.database.drop();
  }
}
`,
  );
  source(
    `${name}.int.spec.ts`,
    `import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { eventually } from '@holdfast/testing';
import { ${stack} } from './${name}-stack.fixture.js';

describe('${name}', () => {
  let stack: ${stack};
  beforeAll(async () => {
    stack = await ${stack}.start();
  });
  afterAll(() => stack.stop());

  it('becomes ready when it has its database and its NATS user', async () => {
    const isReady = async () => (await fetch(\`http://127.0.0.1:\${stack.opsPort}/readyz\`)).ok;
    expect(await eventually(isReady)).toBe(true);
  });
});
`,
  );
}

/** The NATS user, the database role and the launcher's process follow from the table of services. */
function addContracts(tree: Tree, { name, sharded = true }: Options): void {
  const folder = 'libs/contracts/src';
  edit(tree, `${folder}/services.ts`, (text) =>
    withBefore(
      text,
      '} as const satisfies Record',
      `  ${name}: { database: true, http: false, sharded: ${sharded} },\n`,
    ),
  );
  tree.write(
    `${folder}/${name}/contracts.ts`,
    `import { contractsOf } from '../contract.js';

/** Every contract that ${name} handles. */
export const ${name}Contracts = contractsOf();
`,
  );
  edit(tree, `${folder}/registry.ts`, (text) =>
    withBefore(
      withImport(text, `${name}Contracts`, `./${name}/contracts.js`),
      '  ...Object.values(replicaReports)',
      `  ...${name}Contracts,\n`,
    ),
  );
  edit(tree, `${folder}/index.ts`, (text) =>
    withBefore(text, `export * from './events/event-types.js';`, `export * from './${name}/contracts.js';\n`),
  );
}

/** Services that handle requests start before those that send them, and this one sends none yet. */
function addToRollout(tree: Tree, { name }: Options): void {
  const order = 'The order of the services: ';
  edit(tree, 'docs/runbook.md', (text) => text.replace(order, `${order}\`${name}\`, `));
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

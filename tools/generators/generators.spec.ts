import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from '@jest/globals';
import type { Tree } from '@nx/devkit';
import { FsTree } from '@nx/devkit/internal';
import { root } from '../setup/paths.mjs';
import endpointGenerator from './endpoint/generator.ts';
import type { EndpointOptions } from './endpoint/options.ts';
import { generators, help, overview } from './help.mjs';
import serviceGenerator from './service/generator.ts';

// Formatting takes seconds, and is Nx's part.
process.env.NX_SKIP_FORMAT = 'true';

/** The files of this repository, of which the generators change copies in memory. */
const repository = (): Tree => new FsTree(root, false);

const changesOf = (tree: Tree): string[] =>
  tree
    .listChanges()
    .map(({ path }) => path)
    .sort();

const drafts: EndpointOptions = {
  name: 'list-drafts',
  service: 'issuance',
  area: 'offers',
  method: 'GET',
  path: '/o/{shortId}/api/credentials/offers/{offerId}/drafts',
  operation: 'offers:write',
  action: 'offer.list_drafts',
  actionDescription: "A customer's drafts were listed",
};
const badges: EndpointOptions = {
  name: 'create-badge',
  service: 'directory',
  area: 'badges',
  method: 'POST',
  path: '/o/{shortId}/api/admin/apps/{clientId}/badges',
  operation: 'groups:manage',
  action: 'group.update',
  tag: 'Admin API: badges',
  preparesNothing: 'a decision about others',
};

async function generated(options: EndpointOptions, tree = repository()): Promise<Tree> {
  await endpointGenerator(tree, options);
  return tree;
}

describe('the endpoint generator', () => {
  test('adds a read to an area, and registers it in each list', async () => {
    const tree = await generated(drafts);
    expect(changesOf(tree)).toEqual([
      'apps/issuance/src/app.module.ts',
      'apps/issuance/src/offers/list-drafts.handler.ts',
      'apps/issuance/src/offers/list-drafts.int.spec.ts',
      'libs/contracts/src/audit/actions.ts',
      'libs/contracts/src/issuance/offers.http.ts',
      'libs/contracts/src/issuance/offers.ts',
    ]);
    const read = (path: string) => tree.read(path, 'utf8');
    expect(read('apps/issuance/src/app.module.ts')).toMatch(/controllers: \[[^\]]*ListDraftsHandler/);
    const http = read('libs/contracts/src/issuance/offers.http.ts')!;
    expect(http.indexOf('const listDraftsEndpoint = http(')).toBeLessThan(http.indexOf('export const offerEndpoints'));
    expect(http).toMatch(/, listDraftsEndpoint,?\n?\];\n\nconst adminTag/);
    const actions = read('libs/contracts/src/audit/actions.ts');
    expect(actions).toContain("'offer.list_drafts': 'A customer\\'s drafts were listed',");
    expect(actions).toMatch(/reads = new Set<Action>\(\[[^\]]*'offer\.list_drafts'/);
  });

  test('adds a change to a new area, which a module of the gateway serves', async () => {
    const tree = await generated(badges);
    expect(changesOf(tree)).toEqual([
      'apps/directory/src/app.module.ts',
      'apps/directory/src/badges/create-badge.handler.ts',
      'apps/directory/src/badges/create-badge.int.spec.ts',
      'apps/gateway/src/admin/badges/badges-api.module.ts',
      'apps/gateway/src/app.module.ts',
      'libs/contracts/src/directory/badges.http.ts',
      'libs/contracts/src/directory/badges.ts',
      'libs/contracts/src/directory/contracts.ts',
      'libs/contracts/src/http/endpoints.ts',
      'libs/contracts/src/index.ts',
      'libs/contracts/src/prepared.ts',
    ]);
    expect(tree.read('libs/contracts/src/directory/badges.ts', 'utf8')).toContain('clientId: clientIdParameter');
    expect(tree.read('libs/contracts/src/prepared.ts', 'utf8')).toMatch(
      /'a decision about others[^\]]*'directory\.create-badge'/,
    );
  });

  test('requires a recent sign-in for a change that people make, unless there is a reason for none', async () => {
    const declaration = async (options: Partial<EndpointOptions>) =>
      (await generated({ ...badges, ...options })).read('libs/contracts/src/directory/badges.http.ts', 'utf8');
    expect(await declaration({})).toContain('stepUp: true,');
    expect(await declaration({ noStepUp: 'it gives nobody access' })).toContain("noStepUp: 'it gives nobody access',");
  });

  test('lists a handler in the nearest module above its folder', async () => {
    const tree = await generated({
      ...badges,
      name: 'admin-archive-app',
      area: 'apps-admin',
      folder: 'apps/admin',
      prepares: 'app',
      preparesNothing: undefined,
    });
    expect(changesOf(tree)).toContain('apps/directory/src/apps/admin/admin-archive-app.handler.ts');
    expect(tree.read('apps/directory/src/apps/apps.module.ts', 'utf8')).toContain(
      "import { AdminArchiveAppHandler } from './admin/admin-archive-app.handler.js';",
    );
    expect(tree.read('libs/contracts/src/prepared.ts', 'utf8')).toMatch(/app: \{[^}]*'directory\.admin-archive-app'/);
  });

  test.each<[string, EndpointOptions, string]>([
    ['a service that does not exist', { ...drafts, service: 'nothing' }, 'There is no service nothing'],
    ['an operation that does not exist', { ...drafts, operation: 'drafts:read' }, 'There is no operation drafts:read'],
    ['a handler that exists', { ...drafts, name: 'get-offer' }, 'get-offer.handler.ts exists'],
    ['a contract of another service that exists', { ...drafts, name: 'get-group' }, 'groups.ts exports getGroup'],
    ['a new action without a description', { ...drafts, actionDescription: '' }, '--actionDescription'],
    ['a read with the action of a change', { ...drafts, action: 'offer.create' }, 'offer.create is no read'],
    ['a new area without a tag', { ...drafts, area: 'drafts' }, '--tag'],
    ['a read that needs a recent sign-in', { ...drafts, stepUp: true }, 'GET changes nothing'],
    ['a change that prepares what is not said', { ...drafts, method: 'POST' }, '--preparesNothing takes'],
    ['a change that prepares an unknown kind', { ...drafts, method: 'POST', prepares: 'cake' }, 'cake is no kind'],
    ['a reason that is not listed', { ...badges, preparesNothing: 'it is harmless' }, 'not the beginning of one'],
    ['a change with and without a recent sign-in', { ...badges, stepUp: true, noStepUp: 'x' }, 'not both'],
    ['no recent sign-in without a reason', { ...badges, stepUp: false }, '--noStepUp says why'],
  ])('refuses %s, and writes nothing', async (_, options, message) => {
    const tree = repository();
    await expect(generated(options, tree)).rejects.toThrow(message);
    expect(changesOf(tree)).toEqual([]);
  });
});

describe('the service generator', () => {
  const name = 'sample';

  test('writes the app and registers it as a service, with its contracts and its container', async () => {
    const tree = repository();
    await serviceGenerator(tree, { name, owns: 'What a test needs' });
    expect(changesOf(tree).filter((path) => !path.startsWith('apps/sample/'))).toEqual([
      'docker-bake.hcl',
      'docker/compose.yaml',
      'docs/runbook.md',
      'libs/contracts/src/index.ts',
      'libs/contracts/src/registry.ts',
      'libs/contracts/src/sample/contracts.ts',
      'libs/contracts/src/services.ts',
    ]);
  });

  test.each([true, false])('registers it as sharded: %s', async (sharded) => {
    const tree = repository();
    await serviceGenerator(tree, { name, owns: 'What a test needs', sharded });
    const entry = `sample: { database: true, http: false, sharded: ${sharded} },`;
    expect(tree.read('libs/contracts/src/services.ts', 'utf8')).toContain(entry);
    const migrations = tree.read('apps/sample/src/migrations/index.ts', 'utf8')!;
    expect(migrations.includes('OrganizationFences')).toBe(sharded);
  });
});

test('the service generator refuses a service that exists, and writes nothing', async () => {
  const tree = repository();
  await expect(serviceGenerator(tree, { name: 'audit', owns: 'The log' })).rejects.toThrow('apps/audit/package.json');
  expect(changesOf(tree)).toEqual([]);
});

describe('the help', () => {
  test.each(Object.keys(generators))('of %s describes each option of its schema, in lines of 120 columns', (name) => {
    const schema = JSON.parse(readFileSync(join(root, 'tools/generators', name, 'schema.json'), 'utf8')) as {
      properties: Record<string, { description?: string }>;
      required: string[];
    };
    const text = help(name);
    for (const [option, { description }] of Object.entries(schema.properties)) {
      expect([option, description]).toEqual([option, expect.stringMatching(/\w/)]);
      if (option !== 'name') expect(text).toContain(`--${option}`);
    }
    expect(text.match(/ {2}required/g)).toHaveLength(schema.required.length);
    expect(text.split('\n').filter((line) => line.length > 120)).toEqual([]);
  });

  test('without a generator names each of them', () => {
    for (const name of Object.keys(generators)) expect(overview()).toContain(`  ${name} `);
  });
});

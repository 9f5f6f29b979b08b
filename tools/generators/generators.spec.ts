import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from '@jest/globals';
import type { Tree } from '@nx/devkit';
import { createTree } from '@nx/devkit/testing';
import ts from 'typescript';
import { root } from '../setup/paths.mjs';
import endpointGenerator from './endpoint/generator.ts';
import serviceGenerator from './service/generator.ts';

/** The files of this repository that the generators edit. */
const edited = [
  'apps/issuance/src/app.module.ts',
  'apps/gateway/src/credentials/credentials.module.ts',
  'docker-bake.hcl',
  'docker/compose.yaml',
  'libs/contracts/src/audit/actions.ts',
  'libs/contracts/src/index.ts',
  'libs/contracts/src/issuance/contracts.ts',
  'libs/contracts/src/issuance/offers.ts',
  'libs/contracts/src/registry.ts',
  'libs/contracts/src/services.ts',
];

// Formatting everything anew takes seconds, and is Nx's part.
process.env.NX_SKIP_FORMAT = 'true';

function repository(): Tree {
  const tree = createTree();
  tree.delete('.prettierrc');
  for (const file of edited) tree.write(file, readFileSync(join(root, file), 'utf8'));
  return tree;
}

/** Files that differ from the repository's. */
function changesOf(tree: Tree): string[] {
  return tree
    .listChanges()
    .filter(
      ({ path, content }) => !edited.includes(path) || content?.toString() !== readFileSync(join(root, path), 'utf8'),
    )
    .map(({ path }) => path)
    .sort();
}

function syntaxErrors(tree: Tree): string[] {
  return tree
    .listChanges()
    .filter(({ path }) => path.endsWith('.ts'))
    .flatMap(({ path, content }) =>
      ts
        .transpileModule(content!.toString(), { fileName: path, reportDiagnostics: true })
        .diagnostics!.map(({ messageText }) => `${path}: ${JSON.stringify(messageText)}`),
    );
}

const listOffers = {
  name: 'list-drafts',
  service: 'issuance',
  area: 'offers',
  feature: 'credentials',
  path: '/o/{shortId}/api/credentials/offers/{offerId}/drafts',
  operation: 'issued:read',
  action: 'offer.list_drafts',
} as const;

describe('the endpoint generator', () => {
  test.each(['GET', 'POST'] as const)(
    'writes the files of a %s endpoint and registers each in its list',
    async (method) => {
      const tree = repository();
      await endpointGenerator(tree, { ...listOffers, method });
      expect(changesOf(tree)).toEqual([
        'apps/gateway/src/credentials/credentials.module.ts',
        'apps/gateway/src/credentials/list-drafts.controller.ts',
        'apps/issuance/src/app.module.ts',
        'apps/issuance/src/offers/list-drafts.handler.ts',
        'libs/contracts/src/audit/actions.ts',
        'libs/contracts/src/issuance/contracts.ts',
        'libs/contracts/src/issuance/offers.ts',
      ]);
      expect(syntaxErrors(tree)).toEqual([]);
      expect(tree.read('apps/issuance/src/app.module.ts', 'utf8')).toMatch(/controllers: \[[^\]]*ListDraftsHandler/);
      expect(tree.read('libs/contracts/src/issuance/contracts.ts', 'utf8')).toMatch(
        /issuanceContracts = \[[^\]]*listDrafts/,
      );
      expect(tree.read('apps/gateway/src/credentials/credentials.module.ts', 'utf8')).toMatch(
        /controllers: \[[^\]]*ListDraftsController/,
      );
    },
  );

  test('fails and names the file when an endpoint of this name exists', async () => {
    const tree = repository();
    await endpointGenerator(tree, { ...listOffers, method: 'GET' });
    await expect(endpointGenerator(tree, { ...listOffers, method: 'GET' })).rejects.toThrow('list-drafts.handler.ts');
  });

  test('fails and names the file when the feature of the gateway does not exist', async () => {
    const generated = endpointGenerator(repository(), { ...listOffers, method: 'GET', feature: 'nothing' });
    await expect(generated).rejects.toThrow('apps/gateway/src/nothing');
  });
});

describe('the service generator', () => {
  test('writes the app and registers it as a service, with its contracts and its container', async () => {
    const tree = repository();
    await serviceGenerator(tree, { name: 'billing', owns: 'What an organization owes' });
    expect(changesOf(tree).filter((path) => !path.startsWith('apps/billing/'))).toEqual([
      'docker-bake.hcl',
      'docker/compose.yaml',
      'libs/contracts/src/billing/contracts.ts',
      'libs/contracts/src/index.ts',
      'libs/contracts/src/registry.ts',
      'libs/contracts/src/services.ts',
    ]);
    expect(syntaxErrors(tree)).toEqual([]);
    expect(tree.read('libs/contracts/src/services.ts', 'utf8')).toContain('billing: { database: true, http: false }');
  });
});

// What the generators write compiles with the sources of the repository, as a developer finds it.
import { beforeAll, describe, expect, test } from '@jest/globals';
import type { Tree } from '@nx/devkit';
import { FsTree } from '@nx/devkit/internal';
import { root } from '../setup/paths.mjs';
import endpointGenerator from './endpoint/generator.ts';
import type { EndpointOptions } from './endpoint/options.ts';
import serviceGenerator from './service/generator.ts';
import { typeErrors } from './type-check.fixture.ts';

// Formatting takes seconds, and is Nx's part.
process.env.NX_SKIP_FORMAT = 'true';

const offers = {
  service: 'issuance',
  area: 'offers',
  operation: 'offers:write',
  action: 'offer.list_drafts',
  actionDescription: 'Drafts were listed',
};
const drafts = '/o/{shortId}/api/credentials/offers/{offerId}/drafts';
const ofApps = { service: 'directory', operation: 'groups:manage' };

const endpoints: Record<string, EndpointOptions> = {
  'a read in an area of issuance': { ...offers, name: 'list-drafts', method: 'GET', path: drafts },
  'a change in an area of issuance': {
    ...offers,
    name: 'create-draft',
    method: 'POST',
    path: drafts,
    action: 'offer.create',
    prepares: 'offer',
  },
  'a read with a client ID in a feature module of directory': {
    ...ofApps,
    name: 'list-groups-of-app',
    area: 'groups',
    method: 'GET',
    path: '/o/{shortId}/api/admin/apps/{clientId}/groups/{group}',
    action: 'group.read',
  },
  'a change by people beside the app that it is about': {
    ...ofApps,
    name: 'admin-archive-app',
    area: 'apps-admin',
    folder: 'apps/admin',
    method: 'DELETE',
    path: '/o/{shortId}/api/admin/apps/{clientId}/archive',
    operation: 'apps:manage',
    action: 'app.delete',
    noStepUp: "it only ends what the app's people archived",
    preparesNothing: 'it only ends',
  },
  'a change by people in a new area': {
    ...ofApps,
    name: 'create-badge',
    area: 'badges',
    tag: 'Admin API: badges',
    method: 'POST',
    path: '/o/{shortId}/api/admin/badges',
    action: 'badge.create',
    actionDescription: "A person's badge was created",
    preparesNothing: 'a decision about others',
  },
  'a read whose area has contracts, and a module of the gateway, and no declaration': {
    service: 'issuance',
    name: 'count-page-links',
    area: 'account',
    tag: 'Account page',
    method: 'GET',
    path: '/o/{shortId}/api/account/links/count',
    operation: 'issued:read',
    action: 'subject.list',
  },
  'a read of a service without a fixture': {
    service: 'auth',
    name: 'count-sessions',
    area: 'hub',
    tag: 'Admin API: sessions',
    method: 'GET',
    path: '/o/{shortId}/api/admin/sessions',
    operation: 'users:read',
    action: 'user.read',
  },
  'a read of the new service': {
    service: 'sample',
    name: 'get-invoice',
    area: 'invoices',
    tag: 'Admin API: invoices',
    method: 'GET',
    path: '/o/{shortId}/api/admin/invoices/{invoiceId}',
    operation: 'billing:manage',
    action: 'invoice.read',
    actionDescription: 'An invoice was read',
  },
};

const codeOf = (tree: Tree) =>
  tree
    .listChanges()
    .map(({ path }) => path)
    .filter((path) => path.endsWith('.ts'));

describe('generated code', () => {
  let tree: Tree;
  /** Files by what was generated. */
  const written = new Map<string, string[]>();
  let errors: string[];

  beforeAll(async () => {
    tree = new FsTree(root, false);
    const record = async (what: string, generate: () => Promise<void>) => {
      const before = new Set(codeOf(tree));
      await generate();
      written.set(
        what,
        codeOf(tree).filter((path) => !before.has(path)),
      );
    };
    await record('a service', () => serviceGenerator(tree, { name: 'sample', owns: 'What a test needs' }));
    for (const [what, options] of Object.entries(endpoints)) await record(what, () => endpointGenerator(tree, options));
    errors = typeErrors(tree, codeOf(tree));
  });

  test('compiles together with everything that it is registered in', () => {
    expect(errors).toEqual([]);
  });

  test.each([
    ['a service', 'apps/sample/src/sample.int.spec.ts'],
    ['a read in an area of issuance', 'apps/issuance/src/offers/list-drafts.int.spec.ts'],
    ['a read with a client ID in a feature module of directory', 'apps/directory/src/groups/groups.module.ts'],
    ['a change by people beside the app that it is about', 'apps/directory/src/apps/apps.module.ts'],
    ['a change by people in a new area', 'apps/gateway/src/admin/badges/badges-api.module.ts'],
    ['a change by people in a new area', 'apps/directory/src/app.module.ts'],
    [
      'a read whose area has contracts, and a module of the gateway, and no declaration',
      'apps/gateway/src/account/account.module.ts',
    ],
    ['a read of a service without a fixture', 'apps/auth/src/hub/count-sessions.spec.ts'],
    ['a read of the new service', 'apps/sample/src/invoices/get-invoice.int.spec.ts'],
  ])('of %s is also in %s', (what, file) => {
    expect(written.get(what)).toContain(file);
  });

  test('that does not fit the repository is found', () => {
    const file = 'libs/contracts/src/services.ts';
    const wrong = new FsTree(root, false);
    wrong.write(file, tree.read(file, 'utf8')!.replace(/(sample: .*), sharded: true/, '$1'));
    expect(typeErrors(wrong, [file])).toContainEqual(expect.stringContaining("Property 'sharded' is missing"));
  });

  test('is in memory only', () => {
    expect(new FsTree(root, false).exists('apps/sample/package.json')).toBe(false);
  });
});

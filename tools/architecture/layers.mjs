/**
 * Which project may import which: apps → (access, audit-client, outbox, passkeys) → service → messaging → data →
 * platform → contracts. A project may skip steps and never imports upwards. One row per layer. ESLint enforces the
 * table (eslint.config.mjs), and the architecture test proves that it does.
 */
const platform = ['layer:platform', 'layer:contracts'];
const data = ['layer:data', ...platform];
const messaging = ['layer:messaging', ...data];
const service = ['layer:service', ...messaging];
// Libraries may use `testing` in their tests; `no-restricted-imports` keeps it out of their sources.
const tests = ['layer:testing', 'layer:platform-policy'];

export const layers = [
  { sourceTag: 'layer:contracts', onlyDependOnLibsWithTags: [] },
  // NATS users and permissions, database roles and grants: generated from contracts, used by operators' tools and
  // tests.
  { sourceTag: 'layer:platform-policy', onlyDependOnLibsWithTags: ['layer:contracts'] },
  { sourceTag: 'layer:platform', onlyDependOnLibsWithTags: ['layer:contracts'] },
  // Formats and hashes of transparency logs, for verifiers too: independent of everything else.
  { sourceTag: 'layer:tlog', onlyDependOnLibsWithTags: [] },
  // Verifies exported audit logs, in Node.js and in browsers.
  { sourceTag: 'layer:log-verifier', onlyDependOnLibsWithTags: ['layer:tlog', 'layer:contracts', ...tests] },
  // Calls the public API as any client does: its types are those of the API reference.
  { sourceTag: 'layer:api-client', onlyDependOnLibsWithTags: [] },
  // What developers of organizations install, packed with the types of the API client.
  { sourceTag: 'layer:sdk', onlyDependOnLibsWithTags: ['layer:api-client'] },
  // The same in Python: generated from the API reference alone, and no JavaScript imports it.
  { sourceTag: 'layer:sdk-python', onlyDependOnLibsWithTags: [] },
  { sourceTag: 'layer:data', onlyDependOnLibsWithTags: [...platform, ...tests] },
  { sourceTag: 'layer:messaging', onlyDependOnLibsWithTags: [...data, ...tests] },
  { sourceTag: 'layer:service', onlyDependOnLibsWithTags: [...messaging, ...tests] },
  // Sends to receivers outside of the deployment: without a database and a bus of its own.
  { sourceTag: 'layer:delivery', onlyDependOnLibsWithTags: [...platform, ...tests] },
  { sourceTag: 'layer:outbox', onlyDependOnLibsWithTags: [...service, ...tests] },
  { sourceTag: 'layer:passkeys', onlyDependOnLibsWithTags: [...service, ...tests] },
  { sourceTag: 'layer:access', onlyDependOnLibsWithTags: [...service, ...tests] },
  { sourceTag: 'layer:audit-client', onlyDependOnLibsWithTags: [...service, ...tests] },
  { sourceTag: 'layer:testing', onlyDependOnLibsWithTags: ['layer:platform-policy', 'layer:tlog', 'layer:contracts'] },
  // What browsers load: an app serves it as files and imports nothing of it. Its build uses the document head of
  // platform.
  {
    sourceTag: 'layer:pages',
    onlyDependOnLibsWithTags: [...platform, 'layer:log-verifier', 'layer:tlog', ...tests],
  },
  // The console of people: a client of the public API, as files that an app serves.
  {
    sourceTag: 'layer:hub',
    onlyDependOnLibsWithTags: [...platform, 'layer:api-client', 'layer:log-verifier', 'layer:tlog', ...tests],
  },
  {
    sourceTag: 'layer:app',
    onlyDependOnLibsWithTags: [
      ...[
        'layer:pages',
        'layer:hub',
        'layer:api-client',
        'layer:delivery',
        'layer:outbox',
        'layer:access',
        'layer:audit-client',
        'layer:passkeys',
        'layer:log-verifier',
        'layer:tlog',
      ],
      ...service,
      ...tests,
    ],
  },
  // Black-box tests: they know what any client could know, and have a software authenticator to sign in with.
  {
    sourceTag: 'layer:e2e',
    onlyDependOnLibsWithTags: ['layer:api-client', 'layer:sdk', 'layer:contracts', 'layer:tlog', ...tests],
  },
  // What an organization would copy: public interfaces alone.
  { sourceTag: 'layer:example', onlyDependOnLibsWithTags: ['layer:sdk'] },
  { sourceTag: 'layer:tools', onlyDependOnLibsWithTags: ['layer:platform-policy', 'layer:contracts'] },
  // Measures what a customer's browser does, with a software authenticator, and single rules of `platform`.
  { sourceTag: 'layer:bench', onlyDependOnLibsWithTags: [...platform, 'layer:tlog', ...tests] },
];

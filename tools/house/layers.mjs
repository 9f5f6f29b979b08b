/**
 * Who imports whom: apps → bus → data → kit → contracts, skipping steps to the right, never left. One row per layer,
 * none with '*'. ESLint enforces it (eslint.config.mjs), and house.spec.ts proves that it does.
 */
export const layers = [
  { sourceTag: 'layer:contracts', onlyDependOnLibsWithTags: [] },
  { sourceTag: 'layer:kit', onlyDependOnLibsWithTags: ['layer:contracts'] },
  // Formats and hashes of transparency logs, for whoever verifies one: knows nothing of the house.
  { sourceTag: 'layer:tlog', onlyDependOnLibsWithTags: [] },
  { sourceTag: 'layer:data', onlyDependOnLibsWithTags: ['layer:kit', 'layer:contracts', 'layer:testing'] },
  {
    sourceTag: 'layer:passkeys',
    onlyDependOnLibsWithTags: ['layer:data', 'layer:kit', 'layer:contracts', 'layer:testing'],
  },
  { sourceTag: 'layer:bus', onlyDependOnLibsWithTags: ['layer:data', 'layer:kit', 'layer:contracts', 'layer:testing'] },
  { sourceTag: 'layer:testing', onlyDependOnLibsWithTags: ['layer:contracts'] },
  // What browsers load: an app serves it as files and imports nothing of it. Of kit its build alone uses the head of
  // documents.
  { sourceTag: 'layer:pages', onlyDependOnLibsWithTags: ['layer:kit', 'layer:contracts'] },
  {
    sourceTag: 'layer:app',
    onlyDependOnLibsWithTags: [
      'layer:pages',
      'layer:bus',
      'layer:passkeys',
      'layer:tlog',
      'layer:data',
      'layer:kit',
      'layer:contracts',
      'layer:testing',
    ],
  },
  // From outside: what it knows of the house is what any client could know, with a passkey in software to sign in.
  { sourceTag: 'layer:e2e', onlyDependOnLibsWithTags: ['layer:contracts', 'layer:tlog', 'layer:testing'] },
  // What an organization would copy: public interfaces alone.
  { sourceTag: 'layer:example', onlyDependOnLibsWithTags: [] },
  { sourceTag: 'layer:tools', onlyDependOnLibsWithTags: ['layer:contracts'] },
  // Measures what a customer's browser does, with a passkey in software.
  { sourceTag: 'layer:bench', onlyDependOnLibsWithTags: ['layer:contracts', 'layer:tlog', 'layer:testing'] },
];

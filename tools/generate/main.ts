import { mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { print, warn } from '../infra/console.ts';
import { root } from '../setup/paths.mjs';
import { actionsPage } from './actions.ts';
import { busPage } from './bus.ts';
import { configurationPage } from './configuration.ts';
import { credentialStatesPage } from './credential-states.ts';
import { errorsPage } from './errors.ts';
import { eventsPage } from './events.ts';
import { openApiJson } from './openapi.ts';
import { operationsPage } from './operations.ts';

const folder = join(root, 'docs', 'reference');
const pages: Record<string, string> = {
  'openapi.json': await openApiJson(),
  'events.md': eventsPage(),
  'credential-states.md': await credentialStatesPage(),
  'errors.md': errorsPage(),
  'operations.md': operationsPage(),
  'actions.md': actionsPage(),
  'bus.md': busPage(),
  'configuration.md': await configurationPage(),
};

mkdirSync(folder, { recursive: true });
const stale = readdirSync(folder).filter((name) => !(name in pages));
const changed = Object.keys(pages).filter((name) => pages[name] !== read(name));

if (process.argv.includes('--check')) {
  const [first, ...more] = [...changed, ...stale].map((name) => `docs/reference/${name}`);
  if (first) {
    warn(
      `${[first, ...more].join(', ')} ${more.length > 0 ? 'are' : 'is'} out of date. ` +
        'Run "node tools/generate.mjs" and commit the result.',
    );
    process.exit(1);
  }
  print(`docs/reference is up to date (${Object.keys(pages).length} files).`);
} else {
  for (const name of changed) writeFileSync(join(folder, name), pages[name] ?? '');
  for (const name of stale) rmSync(join(folder, name), { recursive: true });
  print(
    changed.length + stale.length > 0
      ? `Written to docs/reference: ${[...changed, ...stale].join(', ')}`
      : 'docs/reference was up to date already.',
  );
}

function read(name: string): string | undefined {
  try {
    return readFileSync(join(folder, name), 'utf8');
  } catch {
    return undefined;
  }
}

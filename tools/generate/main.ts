import { mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { print, warn } from '../infra/console.ts';
import { root } from '../setup/paths.mjs';
import { actionsPage } from './actions.ts';
import { auditExportVectors } from './audit-export-vectors.ts';
import { benchmarkPages } from './benchmarks.ts';
import { busPage } from './bus.ts';
import { chartValuesPage, chartValuesSchema } from './chart-values.ts';
import { chartServices } from './chart.ts';
import { configurationPage } from './configuration.ts';
import { credentialStatesPage } from './credential-states.ts';
import { errorsPage } from './errors.ts';
import { eventsPage } from './events.ts';
import { metricsPage } from './metrics.ts';
import { openApiJson } from './openapi.ts';
import { operationsPage } from './operations.ts';
import { secretsPage } from './secrets.ts';
import { securityEventsPage } from './security-events.ts';

const reference = 'docs/reference';
const pages: Record<string, string> = {
  'openapi.json': await openApiJson(),
  'events.md': eventsPage(),
  'credential-states.md': await credentialStatesPage(),
  'errors.md': errorsPage(),
  'operations.md': operationsPage(),
  'actions.md': actionsPage(),
  'bus.md': busPage(),
  'configuration.md': await configurationPage(),
  'metrics.md': await metricsPage(),
  'secrets.md': secretsPage(),
  'security-events.md': securityEventsPage(),
  'values.md': chartValuesPage(),
  ...(await benchmarkPages()),
};

/** Generated files by their paths. Those of docs/reference are all of that folder. */
const files: Record<string, string> = {
  ...Object.fromEntries(Object.entries(pages).map(([name, text]) => [`${reference}/${name}`, text])),
  'k8s/holdfast/files/services.json': await chartServices(),
  'k8s/holdfast/values.schema.json': chartValuesSchema(),
  ...(await auditExportVectors()),
};

mkdirSync(join(root, reference), { recursive: true });
const stale = readdirSync(join(root, reference))
  .map((name) => `${reference}/${name}`)
  .filter((path) => !(path in files));
const changed = Object.keys(files).filter((path) => files[path] !== read(path));

if (process.argv.includes('--check')) {
  const [first, ...more] = [...changed, ...stale];
  if (first) {
    warn(
      `${[first, ...more].join(', ')} ${more.length > 0 ? 'are' : 'is'} out of date. ` +
        'Run "node tools/generate.mjs" and commit the result.',
    );
    process.exit(1);
  }
  print(`The generated files are up to date (${Object.keys(files).length} files).`);
} else {
  for (const path of changed) {
    mkdirSync(dirname(join(root, path)), { recursive: true });
    writeFileSync(join(root, path), files[path] ?? '');
  }
  for (const path of stale) rmSync(join(root, path), { recursive: true });
  print(
    changed.length + stale.length > 0
      ? `Written: ${[...changed, ...stale].join(', ')}`
      : 'The generated files were up to date already.',
  );
}

function read(path: string): string | undefined {
  try {
    return readFileSync(join(root, path), 'utf8');
  } catch {
    return undefined;
  }
}

// Prints the metrics that one service declares, as JSON: it loads what its program imports, and starts nothing. In a
// process of its own, because a process has one registry.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { collectDefaultMetrics, register } from 'prom-client';

const [folder = ''] = process.argv.slice(2);
const program = readFileSync(join(folder, 'main.js'), 'utf8');
// By path, since tools must not depend on it: every program starts with this library.
await import(pathToFileURL(join(folder, '../../../libs/service/dist/index.js')).href);
for (const [, path] of program.matchAll(/^import .* from '(\.\/[^']+)';/gm))
  await import(pathToFileURL(join(folder, path!)).href);

/** Its members are not in the types of prom-client. */
interface Declared {
  name: string;
  help: string;
  type: string;
  labelNames: string[];
}
const describe = ({ name, help, type, labelNames }: Declared) => ({ name, help, type, labels: [...labelNames].sort() });
const declared = () => (register.getMetricsAsArray() as unknown as Declared[]).map(describe);
const own = declared();
register.clear();
collectDefaultMetrics();
const ofRuntime = declared();
process.stdout.write(JSON.stringify({ own, ofRuntime }), () => process.exit(0));

// `npm run versions -- [--ref REF]`: the long form of versions.spec.ts, in a stack of its own: upgrade and rollback of
// every service.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { PrivateStack } from '../chaos/private-stack.ts';
import { buildVersion, previousVersion } from './previous-version.ts';
import { orderOfServices } from './replace.ts';
import { runSideBySide } from './side-by-side.ts';

const { values } = parseArgs({
  options: {
    ref: { type: 'string' },
    seed: { type: 'string', default: String(Date.now() % 1_000_000) },
    keep: { type: 'boolean', default: false },
  },
});
const print = (line: string): void => void process.stdout.write(`${line}\n`);

const version = await previousVersion(values.ref);
if (version.skipped !== undefined) {
  print(`Skipped: ${version.skipped}.`);
  process.exit(0);
}
const folder = mkdtempSync(join(tmpdir(), 'holdfast-versions-'));
const clone = join(folder, 'other');
const stack = new PrivateStack(
  join(folder, 'stack'),
  orderOfServices()
    .map((name) => `${name}=2`)
    .join(),
);
for (const signal of ['SIGINT', 'SIGTERM'] as const)
  process.once(signal, () => void stack.stop().then(() => process.exit(1)));
let errors = ['the run did not finish'];
try {
  print(`Building ${version.commit} in ${clone}.`);
  const otherBuild = await buildVersion(version.commit, clone);
  errors = await runSideBySide({ stack, otherBuild, rollback: true, seed: Number(values.seed), print });
  print(
    errors.length === 0
      ? 'No errors.'
      : `${errors.length} errors:\n${errors
          .slice(0, 30)
          .map((error) => `  ${error}`)
          .join('\n')}`,
  );
} finally {
  await stack.stop();
  if (errors.length > 0 || values.keep)
    print(`The logs are in ${join(stack.home, 'logs')}. Repeat the run with --seed ${values.seed}.`);
  else {
    await stack.remove();
    rmSync(folder, { recursive: true, force: true });
  }
}
process.exit(errors.length === 0 ? 0 : 1);

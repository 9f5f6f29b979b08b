// `npm run versions -- [--ref REF]`: the long form of versions.spec.ts, in a stack of its own: every service, both
// ways.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { PrivateStack } from '../chaos/private-stack.ts';
import { buildVersion, previousVersion } from './previous-version.ts';
import { orderOfServices } from './replace.ts';
import { sideBySide } from './side-by-side.ts';

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
const other = join(folder, 'other');
const stack = new PrivateStack(
  join(folder, 'stack'),
  orderOfServices()
    .map((name) => `${name}=2`)
    .join(),
);
for (const signal of ['SIGINT', 'SIGTERM'] as const)
  process.once(signal, () => void stack.stop().then(() => process.exit(1)));
let wrong = ['it did not come to an end'];
try {
  print(`Building ${version.commit} in ${other}`);
  await buildVersion(version.commit, other);
  wrong = await sideBySide({ stack, other, rollback: true, seed: Number(values.seed), print });
  print(
    wrong.length === 0
      ? 'All is right.'
      : `${wrong.length} errors:\n${wrong
          .slice(0, 30)
          .map((error) => `  ${error}`)
          .join('\n')}`,
  );
} finally {
  await stack.stop();
  if (wrong.length > 0 || values.keep)
    print(`Its logs are in ${join(stack.home, 'logs')}; repeat it with --seed ${values.seed}`);
  else {
    await stack.remove();
    rmSync(folder, { recursive: true, force: true });
  }
}
process.exit(wrong.length === 0 ? 0 : 1);

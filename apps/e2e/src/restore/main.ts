// `npm run restore-drill -- --changes N --width N --seed S`: the long form of restore-drill.spec.ts, in a stack of its
// own.
import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { backupPrograms } from '@holdfast/testing';
import { loseNothing, restoreDump } from './drill.ts';
import { RestorableStack } from './restorable-stack.ts';

const { values } = parseArgs({
  options: {
    changes: { type: 'string', default: '500' },
    width: { type: 'string', default: '8' },
    seed: { type: 'string', default: String(Date.now() % 1_000_000) },
  },
});
const print = (line: string) => void process.stdout.write(`${line}\n`);
const exit = (message: string): never => {
  process.stderr.write(`${message}\n`);
  return process.exit(2);
};
const number = (name: 'changes' | 'width' | 'seed') =>
  /^\d+$/.test(values[name]) ? Number(values[name]) : exit(`--${name} must be a number, not "${values[name]}".`);
const options = { changes: number('changes'), width: number('width'), seed: number('seed'), print };
const bin =
  backupPrograms() ??
  exit('The drill needs pg_basebackup, pg_receivewal and pg_dump. On Debian: apt-get install postgresql.');

const stack = new RestorableStack(mkdtempSync(join(tmpdir(), 'holdfast-restore-')), bin);
let errors = ['the run did not finish'];
for (const signal of ['SIGINT', 'SIGTERM'] as const)
  process.once(signal, () => void stack.remove().then(() => process.exit(1)));
try {
  print(`Starting a stack in ${stack.home}; seed ${options.seed}.`);
  await stack.start();
  errors = [];
  for (const loseStreams of [false, true]) {
    print(`The database host is lost, the write-ahead log was received, streams are ${loseStreams ? 'lost' : 'kept'}.`);
    errors.push(...(await loseNothing(stack, options, loseStreams)));
  }
  print('The database host is lost, and a dump is left.');
  const { errors: ofDump, restored } = await restoreDump(stack, options);
  print(restored.named.replace(/^/gm, '  '));
  errors.push(...ofDump);
  print(errors.length === 0 ? 'No errors.' : [`${errors.length} errors:`, ...errors.slice(0, 30)].join('\n  '));
} finally {
  await stack.remove();
  if (errors.length > 0) print(`Repeat the run with --seed ${options.seed}.`);
}
process.exit(errors.length === 0 ? 0 : 1);

// `npm run chaos -- --kills N --hangs N --seed S`: the long form of chaos.spec.ts, in a stack of its own.
import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { chaos, killAtRandom, type Load } from './chaos.ts';
import { judge } from './checks.ts';
import { hangAtRandom } from './hangs.ts';
import { PrivateStack } from './private-stack.ts';
import { throughput } from './throughput.ts';

const { values } = parseArgs({
  options: {
    kills: { type: 'string', default: '100' },
    hangs: { type: 'string', default: '30' },
    throughput: { type: 'string' },
    seconds: { type: 'string', default: '40' },
    seed: { type: 'string', default: String(Date.now() % 1_000_000) },
    keep: { type: 'boolean', default: false },
  },
});
const print = (line: string) => void process.stdout.write(`${line}\n`);
const number = (name: 'kills' | 'hangs' | 'seconds' | 'seed') => {
  if (/^\d+$/.test(values[name])) return Number(values[name]);
  process.stderr.write(`--${name} wants a number and got "${values[name]}".\n`);
  return process.exit(2);
};
const [seed, kills, hangs, seconds] = [number('seed'), number('kills'), number('hangs'), number('seconds')];
const services = values.throughput?.split(',');
const disturb = async (load: Load) => {
  if (services) return void (await throughput(stack, { services, seconds, print }, load));
  await killAtRandom(stack, { kills, seed, print }, () => load.acknowledged);
  await hangAtRandom(stack, { hangs, seed, print }, load);
};

const stack = new PrivateStack(
  mkdtempSync(join(tmpdir(), 'holdfast-chaos-')),
  'gateway=2,subjects=2,issuance=2,audit=2,auth=2',
);
let wrong: string[] = ['it did not come to an end'];
for (const signal of ['SIGINT', 'SIGTERM'] as const)
  process.once(signal, () => void stack.stop().then(() => process.exit(1)));
try {
  print(`Starting a stack in ${stack.home}; seed ${seed}`);
  await stack.start();
  const oracle = await chaos(stack, { seed, print, disturb, ...(services && { workers: 16 }) });
  wrong = await judge(oracle);
  report('after all that', wrong);
  print('Stopping it, deleting the files of JetStream, starting it again');
  await stack.stop();
  stack.loseJetStream();
  await stack.start();
  const later = await judge(oracle);
  report('without the files of JetStream', later);
  wrong.push(...later);
} finally {
  await stack.stop();
  if (wrong.length === 0 && !values.keep) await stack.remove();
  else print(`Its logs are in ${join(stack.home, 'logs')}; repeat it with --seed ${seed}`);
}
process.exit(wrong.length === 0 ? 0 : 1);

function report(when: string, errors: string[]): void {
  print(
    errors.length === 0
      ? `All is right ${when}.`
      : `${errors.length} errors ${when}:\n${errors
          .slice(0, 30)
          .map((f) => `  ${f}`)
          .join('\n')}`,
  );
}

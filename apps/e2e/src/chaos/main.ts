// `npm run chaos -- --kills N --hangs N --seed S`: the long form of chaos.spec.ts, in a stack of its own.
import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { programPath } from '../stack/config.ts';
import { killAtRandom, underLoad, type Load } from './chaos.ts';
import { checkAll } from './checks.ts';
import { hangAtRandom } from './hangs.ts';
import { LogReceiver } from './log-receiver.fixture.ts';
import { LogoutTokens } from './logout-tokens.fixture.ts';
import { PrivateStack } from './private-stack.ts';
import { measureThroughput } from './throughput.ts';
import { WebhookReceivers } from './webhook-receivers.fixture.ts';

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
  process.stderr.write(`--${name} must be a number, not "${values[name]}".\n`);
  return process.exit(2);
};
const [seed, kills, hangs, seconds] = [number('seed'), number('kills'), number('hangs'), number('seconds')];
const services = values.throughput?.split(',');
const disturb = async (load: Load) => {
  if (services) return void (await measureThroughput(stack, { services, seconds, print }, load));
  await killAtRandom(stack, { kills, seed, print }, load);
  await hangAtRandom(stack, { hangs, seed, print }, load);
};

const stack = new PrivateStack(
  mkdtempSync(join(tmpdir(), 'holdfast-chaos-')),
  'gateway=2,subjects=2,issuance=2,audit=2,auth=2,signals=2',
);
const receiver = new LogReceiver(seed);
const webhooks = new WebhookReceivers(seed);
const logouts = new LogoutTokens(seed);
let errors: string[] = ['the run did not finish'];
for (const signal of ['SIGINT', 'SIGTERM'] as const)
  process.once(signal, () => void stack.stop().then(() => process.exit(1)));
try {
  print(`Starting a stack in ${stack.home}; seed ${seed}.`);
  await Promise.all([receiver, webhooks, logouts].map((one) => one.open()));
  stack.settings = { OUTBOUND_ALLOW: [receiver, webhooks, logouts].map(({ origin }) => origin).join() };
  await stack.start();
  const consumers = services ? {} : { logConsumers: { receiver, hasPython: programPath('python3') !== undefined } };
  const options = { seed, width: services ? 16 : 8, print, webhooks, logouts, ...consumers };
  const oracle = await underLoad(stack, options, disturb);
  errors = await checkAll(oracle);
  report('after the load', errors);
  print('Stopping the stack, deleting the files of JetStream, starting it again.');
  await stack.stop();
  stack.deleteJetStream();
  await stack.start();
  const later = await checkAll(oracle);
  report('after the loss of the files of JetStream', later);
  errors.push(...later);
  oracle.logConsumers?.remove();
} finally {
  receiver.close();
  webhooks.close();
  logouts.close();
  await stack.stop();
  if (errors.length === 0 && !values.keep) await stack.remove();
  else print(`The logs are in ${join(stack.home, 'logs')}. Repeat the run with --seed ${seed}.`);
}
process.exit(errors.length === 0 ? 0 : 1);

function report(when: string, found: string[]): void {
  print(
    found.length === 0
      ? `No errors ${when}.`
      : `${found.length} errors ${when}:\n${found
          .slice(0, 30)
          .map((error) => `  ${error}`)
          .join('\n')}`,
  );
}

// `npm run chaos -- --kills N --seed S`: the long form of chaos.spec.ts, in a house of its own.
import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { chaos } from './chaos.ts';
import { judge } from './judge.ts';
import { PrivateHouse } from './private-house.ts';

const { values } = parseArgs({
  options: { kills: { type: 'string', default: '100' }, seed: { type: 'string', default: String(Date.now() % 1_000_000) }, keep: { type: 'boolean', default: false } },
});
const say = (line: string) => void process.stdout.write(`${line}\n`);
const number = (name: 'kills' | 'seed') => {
  if (/^\d+$/.test(values[name])) return Number(values[name]);
  process.stderr.write(`--${name} wants a number and got "${values[name]}".\n`);
  return process.exit(2);
};
const options = { kills: number('kills'), seed: number('seed'), say };

const house = new PrivateHouse(mkdtempSync(join(tmpdir(), 'holdfast-chaos-')));
let wrong: string[] = ['it did not come to an end'];
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => void house.stop().then(() => process.exit(1)));
try {
  say(`Starting a house in ${house.home}; seed ${options.seed}`);
  await house.start();
  const oracle = await chaos(house, options);
  wrong = await judge(oracle);
  report('after the kills', wrong);
  say('Stopping it, deleting the files of JetStream, starting it again');
  await house.stop();
  house.loseJetStream();
  await house.start();
  const later = await judge(oracle);
  report('without the files of JetStream', later);
  wrong.push(...later);
} finally {
  await house.stop();
  if (wrong.length === 0 && !values.keep) await house.forget();
  else say(`Its logs are in ${join(house.home, 'logs')}; repeat it with --seed ${options.seed}`);
}
process.exit(wrong.length === 0 ? 0 : 1);

function report(when: string, faults: string[]): void {
  say(faults.length === 0 ? `All is right ${when}.` : `${faults.length} faults ${when}:\n${faults.slice(0, 30).map((f) => `  ${f}`).join('\n')}`);
}

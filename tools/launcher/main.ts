// Brings the stack up and keeps it up until told to stop. Started by tools/start.mjs, and by the tests with IPC.
import { ReportedError, say, seconds, warn } from '../infra/say.ts';
import { parseOptions } from '../setup/options.mjs';
import { home } from '../setup/paths.mjs';
import { settings } from '../setup/settings.mjs';
import { openControl } from './control-server.ts';
import { announceStack, leaveStack, takeStack } from './lock.ts';
import { ownBuild } from './own-build.ts';
import { readyMessage } from './ready-message.ts';
import { reset } from './reset.ts';
import { Stack } from './stack.ts';

const began = Date.now();
const options = parseOptions(process.argv.slice(2), settings());
const baseUrl = `http://localhost:${options.port}`;
let stack: Stack | undefined;
let stopping = false;

try {
  takeStack(baseUrl);
} catch (error) {
  warn((error as Error).message);
  process.exit(1);
}
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, () => void stop(0));
// Nobody reads what we print any more, as after `npm start | head`; the stack goes on.
for (const stream of [process.stdout, process.stderr]) stream.on('error', () => undefined);
// Whoever started us was killed.
process.on('disconnect', () => void stop(0));

try {
  if (options.reset) {
    await reset();
    leaveStack();
    process.exit(0);
  }
  await start();
} catch (error) {
  if (!stopping) {
    warn(error instanceof ReportedError ? error.message : String((error as Error).stack ?? error));
    await stop(1);
  }
}

async function start(): Promise<void> {
  say('Starting Holdfast ...');
  const build = await ownBuild(home);
  // Whoever built for us holds back other builds until now.
  if (process.env.HOLDFAST_BUILD_HELD) process.send?.({ loaded: true });
  stack = await Stack.prepare({ ...options, build, servicesFrom: options.build ?? build });
  const control = await openControl(stack.members);
  const known = { build, control, ...(stack.examples && { examples: stack.examples }) };
  announceStack({ baseUrl, ...known });
  const addresses = await stack.start();
  announceStack({ ...addresses, ...known });
  await stack.seed(addresses);
  const demo = await stack.openShop();
  say(readyMessage(demo, seconds(began)));
  process.send?.({ ready: true });
}

async function stop(status: number): Promise<void> {
  if (stopping) return;
  stopping = true;
  if (stack) {
    say('Stopping ...');
    await stack.stop();
    say('Stopped; nothing is left running.');
  }
  leaveStack();
  process.exit(status);
}

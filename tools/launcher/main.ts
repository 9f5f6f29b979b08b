// Starts the stack and runs it until a signal arrives. Started by tools/start.mjs, and by tests, both with IPC.
import { print, ReportedError, secondsSince, warn } from '../infra/console.ts';
import { parseOptions } from '../setup/options.mjs';
import { home } from '../setup/paths.mjs';
import { settings } from '../setup/settings.mjs';
import { startControlServer } from './control-server.ts';
import { shopSite } from './examples.ts';
import { announceStack, claimStack, releaseStack } from './lock.ts';
import { ownBuild } from './own-build.ts';
import { preparePublicAddress, reachingEnv } from './public-address.ts';
import { readyMessage } from './ready-message.ts';
import { reset } from './reset.ts';
import { Stack } from './stack.ts';

const startedAt = Date.now();
const options = parseOptions(process.argv.slice(2), settings());
const { baseUrl } = options;
let stack: Stack | undefined;
let stopping = false;

try {
  claimStack(baseUrl);
} catch (error) {
  warn((error as Error).message);
  process.exit(1);
}
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, () => void stop(0));
// Output may fail, as after `npm start | head`; the stack keeps running.
for (const stream of [process.stdout, process.stderr]) stream.on('error', () => undefined);
// The parent was killed.
process.on('disconnect', () => void stop(0));

try {
  if (options.reset) {
    await reset();
    releaseStack();
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
  print('Starting Holdfast ...');
  // `npm start` compiles into a folder of its own, and holds the build lock until now.
  const compiled = process.env.HOLDFAST_COMPILED;
  const build = await ownBuild(home, compiled);
  if (compiled) process.send?.({ loaded: true });
  const address = await preparePublicAddress(options, home, settings());
  stack = await Stack.prepare({ ...options, address, build, servicesFrom: options.build ?? build });
  const control = await startControlServer(stack.members);
  const details = {
    baseUrl,
    build,
    control,
    reachingEnv: reachingEnv(address, settings()),
    ...(stack.examples && { examples: stack.examples, shopSite: shopSite(address) }),
  };
  announceStack(details);
  const { public: _, ...addresses } = await stack.start();
  announceStack({ ...addresses, ...details });
  await stack.seed(addresses.natsUrl);
  const demo = await stack.startShop();
  print(readyMessage(demo, secondsSince(startedAt), address));
  process.send?.({ ready: true });
}

async function stop(status: number): Promise<void> {
  if (stopping) return;
  stopping = true;
  if (stack) {
    print('Stopping ...');
    await stack.stop();
    print('Stopped. All processes have ended.');
  }
  releaseStack();
  process.exit(status);
}

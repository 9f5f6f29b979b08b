#!/usr/bin/env node
// `npm run holdfast -- …`: the command line. `service …` asks the launcher of the running stack; all else is apps/cli.
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { takeBuildLock } from './setup/build-lock.mjs';
import { ensureBuild } from './setup/build.mjs';
import { ensureModules } from './setup/modules.mjs';
import { bundledNode, requireNode } from './setup/node.mjs';
import { home, root } from './setup/paths.mjs';
import { run } from './setup/run.mjs';
import { notRunning, runningStack } from './setup/running-stack.mjs';

requireNode();
const [command, ...args] = process.argv.slice(2);
const stack = runningStack();
if (!stack) await ensureModules();
const node = bundledNode();

if (command === 'service') run(node, 'launcher/service-command.ts', args);
else {
  // A running stack has its own copy of what was built when it started: another build may rewrite ours at this moment.
  const cli = join(stack?.build ?? root, 'apps', 'cli', 'dist', 'main.js');
  // Waits for a build that is under way. One that begins now writes nothing before the command is loaded.
  if (!stack?.build) (await (existsSync(cli) ? takeBuildLock() : ensureBuild(node)))();
  run(node, cli, process.argv.slice(2), environment());
}

function environment() {
  if (process.env.NATS_URL || isHelp()) return process.env;
  if (!stack?.natsUrl) {
    // A file is verified without a stack, and one elsewhere is asked over HTTP; what wants this one says so itself.
    if (command === 'audit') return process.env;
    console.error(
      stack
        ? 'Holdfast is still starting; try again when it says that it is ready.'
        : `${notRunning} One elsewhere is named by NATS_URL and NATS_NKEY_SEED.`,
    );
    return process.exit(1);
  }
  const { nkeySeeds, databasePasswords } = JSON.parse(readFileSync(join(home, 'secrets.json'), 'utf8'));
  // Who may declare streams may do nothing else, and nobody else may declare them.
  const seed = nkeySeeds[command === 'bus' ? 'deploy' : 'operator'];
  const passwords =
    command === 'database'
      ? Object.entries(databasePasswords).map(([service, password]) => [
          `DB_PASSWORD_${service.toUpperCase()}`,
          password,
        ])
      : [];
  // For commands of the database's owner.
  const owner = stack.databaseUrl ? { DATABASE_URL: stack.databaseUrl } : {};
  // For `demo seed`: the apps of the example must lead back to where it listens.
  const ports = stack.examples
    ? { SHOP_PORT: String(stack.examples.shop), KIOSK_PORT: String(stack.examples.kiosk) }
    : {};
  return {
    ...owner,
    ...Object.fromEntries(passwords),
    NATS_NKEY_SEED: seed,
    ...process.env,
    NATS_URL: stack.natsUrl,
    BASE_URL: stack.baseUrl,
    ...ports,
  };
}

function isHelp() {
  return command === undefined || command === 'help' || process.argv.some((arg) => arg === '--help' || arg === '-h');
}

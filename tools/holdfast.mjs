#!/usr/bin/env node
// `npm run holdfast -- …` and `./holdfast …`: the command line. `service …` calls the launcher of the running stack;
// all other commands are in apps/cli.
import { readFileSync, realpathSync } from 'node:fs';
import { join } from 'node:path';
import { ensureCompiled, useOf } from './setup/compile.mjs';
import { ensureRuntimeModules } from './setup/modules.mjs';
import { bundledNode, requireNode } from './setup/node.mjs';
import { home, programOf } from './setup/paths.mjs';
import { run, runHere } from './setup/run.mjs';
import { notRunning, runningStack, stillStarting } from './setup/running-stack.mjs';

requireNode();
const [command, ...args] = process.argv.slice(2);
const stack = runningStack();
if (!stack) await ensureRuntimeModules();
const node = bundledNode();

// A running stack has its own copy of the build. The clone's may be replaced by another start right now.
const build = stack?.build ?? (await compiledFolder());
if (command === 'service') run(node, 'launcher/service-command.ts', args, undefined, undefined, useOf(build));
else {
  const env = environment();
  const needsNodeOptions = Object.keys(stack?.reachingEnv ?? {}).length > 0;
  // `./holdfast` starts this process on the right Node.js already. A second one costs as much as a command.
  if (node === realpathSync(process.execPath) && !needsNodeOptions) await runHere(programOf(build, 'cli'), env);
  else run(node, programOf(build, 'cli'), process.argv.slice(2), env);
}

async function compiledFolder() {
  const { folder, release } = await ensureCompiled(node);
  release();
  return folder;
}

function environment() {
  if (process.env.NATS_URL || isHelp()) return process.env;
  if (!stack?.natsUrl) {
    // Files are verified without a stack, and logs of other stacks are read over HTTP. A command that needs the running
    // stack reports its absence itself.
    if (command === 'audit') return process.env;
    console.error(stack ? stillStarting : `${notRunning} To reach another stack, set NATS_URL and NATS_NKEY_SEED.`);
    return process.exit(1);
  }
  const secrets = JSON.parse(readFileSync(join(home, 'secrets.json'), 'utf8'));
  // Only the user `deploy` may declare streams, and it may do nothing else.
  const seed = secrets[command === 'bus' ? 'NATS_NKEY_SEED_DEPLOY' : 'NATS_NKEY_SEED_OPERATOR'];
  const passwords =
    command === 'database' ? Object.entries(secrets).filter(([name]) => name.startsWith('DB_PASSWORD_')) : [];
  // For commands that run as the owner of the database.
  const owners = Object.entries(stack.databaseUrls ?? {}).map(([name, url]) => [
    `DATABASE_URL_${name.toUpperCase()}`,
    url,
  ]);
  const owner = stack.databaseUrl ? { DATABASE_URL: stack.databaseUrl, ...Object.fromEntries(owners) } : {};
  // For `demo seed`: the redirect URIs of the example's apps contain its ports.
  const shop = stack.examples
    ? {
        SHOP_SITE: stack.shopSite,
        SHOP_PORT: String(stack.examples.shop),
        KIOSK_PORT: String(stack.examples.kiosk),
      }
    : {};
  return {
    ...owner,
    ...Object.fromEntries(passwords),
    ...(['doctor', 'support-bundle'].includes(command ?? '')
      ? { NATS_DEPLOY_NKEY_SEED: secrets.NATS_NKEY_SEED_DEPLOY }
      : {}),
    NATS_NKEY_SEED: seed,
    ...process.env,
    NATS_URL: stack.natsUrl,
    ...(stack.shards ? { SHARDS: shardsSetting(stack.shards), SHARD_DATABASE_URLS: databasesSetting(stack) } : {}),
    BASE_URL: stack.baseUrl,
    ...shop,
    ...stack.reachingEnv,
  };
}

/** @param {NonNullable<import('./setup/running-stack.mjs').RunningStack['shards']>} shards */
function shardsSetting(shards) {
  return Object.entries(shards)
    .map(([name, { natsUrl }]) => `${name}=${natsUrl}`)
    .join(';');
}

/** @param {import('./setup/running-stack.mjs').RunningStack} stack */
function databasesSetting({ databaseUrl, databaseUrls, shards }) {
  return Object.entries({ main: { databaseUrl, databaseUrls }, ...shards })
    .flatMap(([name, { databaseUrl: url, databaseUrls: own }]) => [
      `${name}=${url}`,
      ...Object.entries(own ?? {}).map(([service, ownUrl]) => `${name}.${service}=${ownUrl}`),
    ])
    .join(';');
}

function isHelp() {
  return command === undefined || command === 'help' || process.argv.some((arg) => arg === '--help' || arg === '-h');
}

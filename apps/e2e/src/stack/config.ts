import { existsSync } from 'node:fs';
import { delimiter, dirname, join } from 'node:path';

/**
 * Folder of the stack under test, where it keeps demo.json, its secrets and its logs. Set by `node tools/test.mjs e2e`.
 */
export function stackUnderTest(): string {
  const { HOLDFAST_DEMO } = process.env;
  if (!HOLDFAST_DEMO)
    throw new Error('HOLDFAST_DEMO names no demo.json: run these tests with "node tools/test.mjs e2e"');
  return dirname(HOLDFAST_DEMO);
}

/** The one origin on this machine that the stack under test may call, so that a test can listen there. */
export function receiverOrigin(): string {
  const { HOLDFAST_TEST_RECEIVER } = process.env;
  if (!HOLDFAST_TEST_RECEIVER)
    throw new Error('HOLDFAST_TEST_RECEIVER is not set: run these tests with "node tools/test.mjs e2e"');
  return HOLDFAST_TEST_RECEIVER;
}

/** Where a program of this machine is; undefined when it has none. */
export function programPath(name: string): string | undefined {
  return (process.env.PATH ?? '')
    .split(delimiter)
    .map((folder) => join(folder, name))
    .find(existsSync);
}

/** The environment of a program that a test starts, without the addresses and secrets of other stacks. */
export function cleanEnvironment(extra: NodeJS.ProcessEnv): NodeJS.ProcessEnv {
  const {
    DATABASE_URL: _database,
    NATS_URL: _nats,
    NATS_NKEY_SEED: _seed,
    HOLDFAST_DEMO: _demo,
    BASE_URL: _address,
    HTTP_HOST: _host,
    NODE_OPTIONS: _options,
    ...env
  } = process.env;
  return { ...env, ...extra };
}

/** The seed of all random tests: another one each time, unless HOLDFAST_CHAOS_SEED repeats one. */
export function chaosSeed(): number {
  return Number(process.env.HOLDFAST_CHAOS_SEED ?? Date.now() % 1_000_000);
}

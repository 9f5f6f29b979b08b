import { existsSync, readdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { stopOrphans } from '../infra/child-process-registry.ts';
import { print } from '../infra/console.ts';
import { postgresFolder } from '../infra/postgres-home.ts';
import { buildOf, home } from '../setup/paths.mjs';

const filesOfStack = [
  'nats',
  'shards',
  'shop',
  'logs',
  'checkpoints',
  'passwords',
  'tls',
  'secrets.json',
  'demo.json',
  'demo.known.json',
  'children.json',
  'launcher.json',
];

/** Deletes everything of the stack; downloads stay. The stack must not be running. */
export async function reset(): Promise<void> {
  await stopOrphans(home);
  const shards = join(home, 'shards');
  const folders = existsSync(shards) ? readdirSync(shards).map((name) => postgresFolder(join(shards, name))) : [];
  for (const path of [postgresFolder(home), ...folders, buildOf(home), ...filesOfStack.map((name) => join(home, name))])
    rmSync(path, { recursive: true, force: true });
  print('All data, secrets and logs of this stack are deleted. "npm start" creates a new one.');
}

import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { endOrphans } from '../infra/child-process-registry.ts';
import { postgresFolder } from '../infra/postgres-home.ts';
import { say } from '../infra/say.ts';
import { buildOf, home } from '../setup/paths.mjs';

const kept = [
  'nats',
  'shop',
  'logs',
  'checkpoints',
  'secrets.json',
  'demo.json',
  'demo.known.json',
  'children.json',
  'launcher.json',
];

/** Forgets all that the stack knows; downloads stay. The caller has made sure that it does not run. */
export async function reset(): Promise<void> {
  await endOrphans(home);
  for (const path of [postgresFolder(home), buildOf(home), ...kept.map((name) => join(home, name))])
    rmSync(path, { recursive: true, force: true });
  say('All data, secrets and logs of this stack are gone; "npm start" begins a new one.');
}

// Services of two versions beside each other, one replica after the other replaced under load: upgrade and rollback.
import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { underLoad, type Oracle } from '../chaos/chaos.ts';
import { judge } from '../chaos/checks.ts';
import { query } from '../database.ts';
import type { PrivateStack } from '../chaos/private-stack.ts';
import { Client } from '../client.ts';
import { cleanEnvironment } from '../config.ts';
import { eventually } from '../parallel.ts';
import { orderOfServices, replaceServices, unexplained, type Replacement } from './replace.ts';

export interface Plan {
  stack: PrivateStack;
  /** Folder of the other version's clone, built. */
  other: string;
  /** Replaced in an upgrade; all in the order of the runbook when left out. */
  services?: string[];
  rollback: boolean;
  seed: number;
  print: (line: string) => void;
}

const width = 4;

/**
 * Starts this version's database and bus with the other version's services, as an upgrade does, then replaces service
 * by service. @returns everything that is wrong
 */
export async function sideBySide({ stack, other, services, rollback, seed, print }: Plan): Promise<string[]> {
  stack.describesItself = false;
  stack.options = ['--build', other];
  // The command line is upgraded last.
  stack.commandsFrom = other;
  await stack.start();
  const order = orderOfServices();
  const upgraded = order.filter((name) => services?.includes(name) ?? true);
  const replacements: Replacement[] = [];
  const oracle = await underLoad(stack, { seed, width, print }, async (progress) => {
    await eventually(async () => progress() >= 10, 60_000, 'a load');
    print(`Upgrade: ${upgraded.join(', ')}`);
    replacements.push(...(await replaceServices(stack, upgraded, stack.launcher.build, progress)));
    if (rollback) {
      print(`Rollback: ${upgraded.toReversed().join(', ')}`);
      replacements.push(...(await replaceServices(stack, upgraded.toReversed(), other, progress)));
    }
  });
  if (!rollback) delete stack.commandsFrom;
  return [
    ...unexplained(oracle.attempts, replacements, width),
    ...(await judge(oracle)),
    ...(await leftInOutboxes(stack)),
    ...(await verifyLog(stack, oracle)),
  ];
}

/** Every event reached every consumer, of whichever version. */
async function leftInOutboxes(stack: PrivateStack): Promise<string[]> {
  const waiting = async (): Promise<number> => {
    const [row] = await query<{ n: number }>(
      stack,
      'SELECT ((SELECT count(*) FROM issuance.outbox WHERE NOT confirmed) + (SELECT count(*) FROM directory.outbox WHERE NOT confirmed))::int AS n',
    );
    return row!.n;
  };
  await eventually(async () => (await waiting()) === 0, 60_000, 'an empty outbox').catch(() => undefined);
  const n = await waiting();
  return n === 0 ? [] : [`${n} events are unconfirmed`];
}

async function verifyLog(stack: PrivateStack, { org }: Oracle): Promise<string[]> {
  const app = await stack.newApp(org, 'verifier', ['audit:read', 'audit:export'], 'service');
  const auditor = new Client(stack, app);
  const { body } = await auditor.call<{ keys: string[] }>('GET', `${auditor.api}/admin/audit/keys`);
  const args = [
    'audit',
    'verify',
    '--url',
    `${stack.baseUrl}/o/${org}`,
    '--client-id',
    app.clientId,
    ...body.keys.flatMap((key) => ['--key', key]),
  ];
  const env = cleanEnvironment({ HOLDFAST_CLIENT_SECRET: app.clientSecret });
  return promisify(execFile)(
    process.execPath,
    [join(stack.launcher.build, 'apps', 'cli', 'dist', 'main.js'), ...args],
    { env },
  ).then(
    () => [],
    (error: Error & { stdout?: string; stderr?: string }) => [
      `the audit log does not verify: ${error.stdout} ${error.stderr}`,
    ],
  );
}

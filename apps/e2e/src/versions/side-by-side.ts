// Services of two versions beside each other: upgrade and rollback, one replica after the other, under load.
import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { eventually } from '@holdfast/testing';
import { underLoad, type Oracle } from '../chaos/chaos.ts';
import { checkAll } from '../chaos/checks.ts';
import type { PrivateStack } from '../chaos/private-stack.ts';
import { Client } from '../clients/client.ts';
import { cleanEnvironment } from '../stack/config.ts';
import { query } from '../stack/database.ts';
import { orderOfServices, replaceServices, unexplained, type Replacement } from './replace.ts';

export interface SideBySideOptions {
  stack: PrivateStack;
  /** Folder in which the other version was built. */
  otherBuild: string;
  /** Services that the upgrade replaces. Without them, all of them. The runbook has their order. */
  services?: string[];
  rollback: boolean;
  seed: number;
  print: (line: string) => void;
}

const width = 4;

/**
 * Starts this version's database and bus with the other version's services, as an upgrade does, then replaces service
 * by service. @returns all errors
 */
export async function runSideBySide(options: SideBySideOptions): Promise<string[]> {
  const { stack, otherBuild, services, rollback, seed, print } = options;
  stack.isDocumented = false;
  stack.options = ['--build', otherBuild];
  // The command line is upgraded last.
  stack.commandLineBuild = otherBuild;
  await stack.start();
  const order = orderOfServices();
  const upgraded = order.filter((name) => services?.includes(name) ?? true);
  const replacements: Replacement[] = [];
  const oracle = await underLoad(stack, { seed, width, pauseMs: 50, print }, async (load) => {
    await eventually(() => load.acknowledged >= 10, 'the load to begin');
    print(`Upgrade: ${upgraded.join(', ')}`);
    replacements.push(...(await replaceServices(stack, upgraded, stack.launcher.build, load)));
    if (rollback) {
      print(`Rollback: ${upgraded.toReversed().join(', ')}`);
      replacements.push(...(await replaceServices(stack, upgraded.toReversed(), otherBuild, load)));
    }
  });
  if (!rollback) delete stack.commandLineBuild;
  return [
    ...unexplained(oracle.attempts, replacements, width),
    ...(await checkAll(oracle)),
    ...(await checkOutboxes(stack)),
    ...(await verifyLog(stack, oracle)),
  ];
}

/** Every consumer, of either version, has confirmed every event. */
async function checkOutboxes(stack: PrivateStack): Promise<string[]> {
  const unconfirmed = async (): Promise<number> => {
    const [row] = await query<{ n: number }>(
      stack,
      `SELECT ((SELECT count(*) FROM issuance.outbox WHERE NOT confirmed) +
               (SELECT count(*) FROM directory.outbox WHERE NOT confirmed))::int AS n`,
    );
    return row!.n;
  };
  await eventually(async () => (await unconfirmed()) === 0).catch(() => undefined);
  const n = await unconfirmed();
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

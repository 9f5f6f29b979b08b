// The example that makes offers in bulk, killed at a random instant and run again.
import { execFile, spawn } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { eachItem, holdfastClient } from '@holdfast/sdk';
import { eventually } from '@holdfast/testing';
import { Client } from '../clients/client.ts';
import { closeConnections } from '../clients/http.ts';
import { customerScopes, stack } from '../clients/under-test.ts';

const program = join(import.meta.dirname, '../../../../examples/migrate/src/main.ts');
const count = 150;
const folder = mkdtempSync(join(tmpdir(), 'migrate-'));
const [accounts, offers] = [join(folder, 'accounts.csv'), join(folder, 'offers.ndjson')];
const lines = (): string[] => {
  try {
    return readFileSync(offers, 'utf8').split('\n').filter(Boolean);
  } catch {
    return [];
  }
};

let shop: Client;
let env: NodeJS.ProcessEnv;
beforeAll(async () => {
  const org = await stack.newOrganization();
  shop = new Client(stack, await stack.newApp(org, 'shop', customerScopes));
  const { clientId, clientSecret } = shop.app;
  env = {
    ...process.env,
    HOLDFAST_URL: stack.baseUrl,
    ORGANIZATION: org,
    CLIENT_ID: clientId,
    CLIENT_SECRET: clientSecret,
  };
  writeFileSync(accounts, Array.from({ length: count }, (_, i) => `account ${i}\n`).join(''));
});
afterAll(() => {
  rmSync(folder, { recursive: true });
  closeConnections();
});

it('makes one offer for each account, although it is killed in between', async () => {
  const first = spawn(process.execPath, [program, accounts, offers], { env, stdio: 'inherit' });
  const ended = new Promise((resolve) => first.once('exit', resolve));
  await eventually(() => expect(lines().length).toBeGreaterThan(10));
  first.kill('SIGKILL');
  await ended;
  const before = lines();
  expect(before.length).toBeLessThan(count);
  // Half a line, as a machine that loses its power may leave it.
  writeFileSync(offers, `${before.join('\n')}\n{"id":"acc`);

  const { stdout } = await promisify(execFile)(process.execPath, [program, accounts, offers], { env });
  expect(stdout).toContain(`Made ${count - before.length} offers`);
  const made = lines().map((line) => JSON.parse(line) as { id: string; subject: string; claimUrl: string });
  expect(new Set(made.map(({ id }) => id)).size).toBe(count);
  expect(made).toHaveLength(count);

  const { clientId, clientSecret, org } = shop.app;
  const holdfast = holdfastClient({ baseUrl: stack.baseUrl, organization: org, clientId, clientSecret });
  const subjects: string[] = [];
  for await (const { subject } of eachItem(holdfast.listSubjects, { query: { limit: 200 } })) subjects.push(subject);
  expect(subjects.sort()).toEqual(made.map(({ subject }) => subject).sort());
});

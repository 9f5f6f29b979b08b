// The end of an organization: a grace period, its log written and verified, everything deleted, and brought back.
import { spawn } from 'node:child_process';
import { createHash, randomInt, randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { appendFileSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { eventually } from '@holdfast/testing';
import { requestToken, type Client } from '../clients/client.ts';
import { closeConnections, exchange } from '../clients/http.ts';
import { newClients, stack } from '../clients/under-test.ts';
import { cleanEnvironment } from '../stack/config.ts';
import { query, rowsOfAllTables } from '../stack/database.ts';
import { root } from '../stack/stack.ts';

interface Organization {
  shortId: string;
  suspended: boolean;
  deletesAt?: string;
  deleting: boolean;
}

const folder = mkdtempSync(join(tmpdir(), 'holdfast-deletion-'));
let shop: Client;
let other: Client;
let org: string;

beforeAll(async () => {
  [{ shop }, { shop: other }] = await Promise.all([newClients({ shop: {} }), newClients({ shop: {} })]);
  org = shop.app.org;
  for (const client of [shop, shop, other]) expect((await client.offer()).status).toBe(201);
});
afterAll(() => {
  rmSync(folder, { recursive: true });
  closeConnections();
});

const tokenStatus = async ({ app }: Client) => (await requestToken(stack, app, 'issued:read')).status;
const metadataStatus = async () =>
  (
    await exchange({
      origin: stack.gateways[0]!,
      method: 'GET',
      path: `/o/${org}/.well-known/openid-configuration`,
    })
  ).status;
const errorOf = async (...args: string[]) => {
  const { exitCode, stderr } = await stack.printed(...args);
  expect(exitCode).toBe(1);
  return stderr;
};
/** Adds a customer of another organization to an export, whose manifest knows the file. */
function addRowOfAnother(exported: string): void {
  const [rows, manifestFile] = [join(exported, 'issuance.jsonl'), join(exported, 'manifest.json')];
  const before = createHash('sha256').update(readFileSync(rows)).digest('hex');
  const row = readFileSync(rows, 'utf8')
    .split('\n')
    .find((line) => line.startsWith('["issuance.subject"'))!;
  appendFileSync(rows, `${row.replace(org, other.app.org).replace(/[0-9a-f-]{36}/, randomUUID())}\n`);
  const after = createHash('sha256').update(readFileSync(rows)).digest('hex');
  writeFileSync(manifestFile, readFileSync(manifestFile, 'utf8').replace(before, after));
}
/** Runs a command as a process that is killed after this time. */
async function killedAfter(ms: number, ...args: string[]): Promise<void> {
  const { natsUrl, databaseUrl } = stack.launcher;
  const child = spawn(process.execPath, [join(root, 'apps', 'cli', 'dist', 'main.js'), ...args], {
    env: cleanEnvironment({
      NATS_URL: natsUrl,
      NATS_NKEY_SEED: stack.secrets.NATS_NKEY_SEED_OPERATOR!,
      DATABASE_URL: databaseUrl,
    }),
    stdio: 'ignore',
  });
  process.stdout.write(`Killed after ${ms} ms: holdfast ${args.join(' ')}\n`);
  const timer = setTimeout(() => child.kill('SIGKILL'), ms);
  await once(child, 'exit');
  clearTimeout(timer);
}
/** The rows whose text has the short ID as a value of its own. */
const rowsNaming = async (shortId: string) =>
  (await rowsOfAllTables(stack)).filter(({ text }) => new RegExp(`(^|[^a-z0-9-])${shortId}([^a-z0-9-]|$)`).test(text));
const customers = async () => (await shop.list()).body.items.map(({ subject }) => subject).sort();

describe('org delete', () => {
  it('changes nothing without --yes, and is cancelled by org resume during the grace period', async () => {
    expect(await errorOf('org', 'delete', org)).toContain('Repeat the command with --yes');
    expect(await tokenStatus(shop)).toBe(200);
    const deleted = await stack.operator<Organization>('org', 'delete', org, '--yes');
    expect(deleted).toMatchObject({ suspended: true, deleting: false });
    const graceDays = (Date.parse(deleted.deletesAt!) - Date.now()) / 86_400_000;
    expect(graceDays).toBeGreaterThan(29.9);
    expect(graceDays).toBeLessThanOrEqual(30);
    expect(await tokenStatus(shop)).not.toBe(200);
    expect((await stack.printed('org', 'list')).stdout).toContain(
      `suspended, to be deleted after ${deleted.deletesAt}`,
    );
    expect(await errorOf('org', 'purge', org, join(folder, 'early'))).toContain(`must not be deleted before`);
    const resumed = await stack.operator<Organization>('org', 'resume', org);
    expect(resumed).toMatchObject({ suspended: false, deleting: false });
    expect(resumed).not.toHaveProperty('deletesAt');
    expect(await tokenStatus(shop)).toBe(200);
    expect(await errorOf('org', 'purge', org, join(folder, 'early'))).toContain('Nobody has decided to delete');
  });

  it.each(['-1', '367', '1.5', 'x'])('refuses a grace period of %s days', async (days) => {
    expect((await stack.printed('org', 'delete', org, '--yes', '--grace-days', days)).exitCode).toBe(2);
  });
});

describe('org export, org purge and org import', () => {
  const exported = join(folder, 'export');
  let before: string[];

  it('write log and rows, delete every row, and never give the short ID away again', async () => {
    before = await customers();
    await stack.operator('org', 'delete', org, '--grace-days', '0', '--yes');
    const purged = await stack.operator<{
      rows: number;
      steps: { step: string; detail: string }[];
      log: { entries: number; verify: string };
    }>('org', 'purge', org, exported, '--export');
    expect(purged.steps.map(({ step }) => step)).toEqual(['begin', 'log', 'fence', 'export', 'delete']);
    expect(purged.steps[3]!.detail).toBe(`${purged.rows} rows are in ${exported}`);
    expect(purged.rows).toBeGreaterThan(20);
    // The command that is printed verifies the log, and the log ends with the decision.
    const [, ...verify] = purged.log.verify.split(' ');
    expect((await stack.printed(...verify)).stdout).toContain(`Verified: ${purged.log.entries} entries`);
    expect(readFileSync(join(exported, `${org}.ndjson`), 'utf8')).toContain('organization.delete_begin');
    // Fences name it, so that no process which was paused writes a row of it, and the feed of revocations for minutes.
    expect([...new Set((await rowsNaming(org)).map(({ table }) => table))].sort()).toEqual([
      'audit.organization_fence',
      'directory.access_change',
      'issuance.organization_fence',
      'signals.organization_fence',
      'subjects.organization_fence',
    ]);
    expect([await tokenStatus(shop), await metadataStatus()]).toEqual([401, 404]);
    expect(await errorOf('org', 'create', org)).toContain('a short ID is never used twice');
    expect(await errorOf('org', 'purge', org, exported)).toContain(`There is no organization "${org}"`);
    expect((await other.list()).body.items).toHaveLength(1);
  });

  it('bring it back suspended, with its secrets, customers and log', async () => {
    expect(await errorOf('org', 'export', org, join(folder, 'none'))).toContain('There is no organization');
    await stack.operator('org', 'import', exported);
    expect(await tokenStatus(shop)).not.toBe(200);
    expect(await errorOf('org', 'import', exported)).toContain(`${org} exists`);
    expect(await stack.operator('org', 'resume', org)).toMatchObject({ suspended: false, deleting: false });
    shop.clearToken();
    expect(await customers()).toEqual(before);
    expect((await shop.offer()).status).toBe(201);
    const [key = ''] = await stack.operator<string[]>('audit', 'key', org);
    const verified = await stack.operator<{ verified: boolean }>('audit', 'verify', org, '--key', key);
    expect(verified.verified).toBe(true);
    const { stdout } = await stack.printed('audit', 'export', org);
    expect(stdout).toContain('organization.import');
  });

  it('refuse an export that was changed, has rows of another one, or a customer who was erased since', async () => {
    const gone = join(folder, 'gone');
    await stack.operator('org', 'export', org, gone);
    await eventually(async () => (await stack.printed('audit', 'export', org)).stdout.includes('organization.export'));
    const [subject] = await customers();
    expect((await shop.erase(subject!)).status).toBe(204);
    await stack.operator('org', 'delete', org, '--grace-days', '0', '--yes');
    await killedAfter(randomInt(300, 1500), 'org', 'purge', org, join(folder, 'log-again'));
    // It may have ended before it was killed.
    const { stderr } = await stack.printed('org', 'purge', org, join(folder, 'log-again'));
    expect(['', `There is no organization "${org}". List them: holdfast org list\n`]).toContain(stderr);
    expect(await errorOf('org', 'import', gone)).toContain('1 of the customers or people in the export were erased');
    addRowOfAnother(gone);
    expect(await errorOf('org', 'import', gone)).toContain(`The rows of issuance are not those of ${org} alone`);
    // A refused import leaves no row behind.
    expect(await query(stack, 'SELECT FROM subjects.subject WHERE org = $1', [org])).toEqual([]);
    appendFileSync(join(exported, 'directory.jsonl'), '["directory.organization","(x)"]\n');
    expect(await errorOf('org', 'import', exported)).toContain('its SHA-256 differs');
    expect(await metadataStatus()).toBe(404);
    expect(await query(stack, 'SELECT FROM directory.organization WHERE short_id = $1', [org])).toEqual([]);
  });
});

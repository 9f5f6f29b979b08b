// The owner of the database can change everything in it. Verification with a kept checkpoint and a pinned key finds it.
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import pg from 'pg';
import { auditVerifierKeys, exportAuditEntries } from '@holdfast/contracts';
import { eventually } from '@holdfast/testing';
import { readCheckpoint } from '@holdfast/tlog';
import type { Client } from '../clients/client.ts';
import { closeConnections } from '../clients/http.ts';
import { customerScopes, newClients, stack } from '../clients/under-test.ts';
import { newCustomer } from '../sign-in/customer.fixture.ts';
import { busClient, type BusClient } from '../stack/nats.ts';
import { holdfastShared } from './command-line.fixture.ts';
import { newestStored } from './stored-checkpoints.fixture.ts';
import { disableTriggers, restore, saveTables, tamperings, type Intruder } from './tampering.fixture.ts';

let app: Client;
let folder: string;
let key: string;
let operator: BusClient;
let intruder: Intruder;
const earlyCheckpoint = () => join(folder, 'early.checkpoint');

/** Exports over the bus, since requests of an app or of the operator's command line would make the log longer. */
async function exportLog(): Promise<string> {
  const file = join(folder, 'log.ndjson');
  const lines: object[] = [{ type: 'holdfast-audit-log', version: 1, origin: key.split('+')[0] }];
  const { entries, hasMore, ...end } = await operator.request(exportAuditEntries, { after: 0, limit: 500 });
  expect(hasMore).toBe(entries.at(-1)!.seq < readCheckpoint(end.checkpoint).size);
  lines.push(...entries, { type: 'end', count: entries.length, lastSeq: entries.at(-1)!.seq, ...end });
  writeFileSync(file, lines.map((line) => `${JSON.stringify(line)}\n`).join(''));
  return file;
}

const asOperator = () => ({ NATS_URL: stack.launcher.natsUrl, NATS_NKEY_SEED: stack.secrets.NATS_NKEY_SEED_OPERATOR! });
const verify = async (source: string, ...more: string[]) => {
  const { code, output, errors } = await holdfastShared(
    ['audit', 'verify', source, '--key', key, ...more, '--json'],
    asOperator(),
  );
  expect(errors).toBe('');
  return {
    code,
    ...(JSON.parse(output) as { verified: boolean; findings: string[]; entries: number; unprovable: number }),
  };
};

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'holdfast-tampering-'));
  ({ app } = await newClients({ app: { kind: 'service', grants: ['audit:read', 'audit:export', ...customerScopes] } }));
  operator = await busClient(stack, 'operator', app.app.org);
  [key] = (await operator.request(auditVerifierKeys, {})).keys as [string];
  const { body: offer } = await app.offer();
  await app.get(offer.subject);
  writeFileSync(earlyCheckpoint(), (await app.call('GET', `${app.api}/admin/audit/checkpoint`)).text);
  await app.get(offer.subject);
  await app.get(offer.subject);
  await app.withdraw(offer.offerId);
  // A claim has an actor with personal data: address and user agent.
  await newCustomer(app);
  const { body: erased } = await app.offer();
  await app.erase(erased.subject);
  const events = await app.wholeLog();
  // The two reads after the early checkpoint, newest first.
  const [other, at] = events.filter((e) => e.action === 'subject.read').map((e) => e.seq) as [number, number];
  const sql = new pg.Client({ connectionString: stack.launcher.databaseUrl });
  await sql.connect();
  await disableTriggers(sql);
  intruder = {
    sql,
    org: app.app.org,
    at,
    other,
    size: 0,
    outside: { folder: join(stack.home, 'checkpoints'), note: '' },
  };
  // Every record has been appended, and the checkpoint covers all of them.
  await eventually(async () => {
    const { rows } = await sql.query<{ seq: string; size: string; erased: string }>(
      `SELECT h.seq, c.size,
                (SELECT count(*) FROM entry e WHERE e.org = h.org AND action = 'subject.erase') AS erased
         FROM head h JOIN checkpoint c USING (org) WHERE org = $1`,
      [app.app.org],
    );
    intruder.size = Number(rows[0]?.seq);
    return rows[0]?.seq === rows[0]?.size && Number(rows[0]?.erased) > 0;
  }, 'a checkpoint of the whole log');
  intruder.outside.note = newestStored(intruder.outside.folder, app.app.org);
  await saveTables(intruder);
});
afterAll(async () => {
  await intruder?.sql.end();
  await operator?.close();
  rmSync(folder, { recursive: true });
  closeConnections();
});

it('verifies an unchanged log, also against checkpoints that were kept outside the database', async () => {
  const { note } = intruder.outside;
  const outsideFile = join(folder, 'outside.checkpoint');
  writeFileSync(outsideFile, note);
  expect(readCheckpoint(note).size).toBe(intruder.size);
  expect(await verify(await exportLog(), '--checkpoint', earlyCheckpoint(), '--checkpoint', outsideFile)).toMatchObject(
    {
      code: 0,
      verified: true,
      findings: [],
      entries: intruder.size,
      unprovable: 0,
      continues: [earlyCheckpoint(), outsideFile],
    },
  );
});

describe('audit verify', () => {
  afterEach(() => restore(intruder));

  it.each(tamperings)('reports $name in an exported log', async ({ apply, finding }) => {
    await apply(intruder);
    const { code, verified, findings } = await verify(await exportLog(), '--checkpoint', earlyCheckpoint());
    const expected = finding(intruder);
    expect([code, verified, findings[0]]).toEqual([
      1,
      false,
      expected instanceof RegExp ? expect.stringMatching(expected) : expect.stringContaining(expected),
    ]);
  });

  it.each(tamperings.filter((t) => t.alsoOnline))('reports $name in the running stack', async ({ apply }) => {
    await apply(intruder);
    const { findings } = await verify(await exportLog(), '--checkpoint', earlyCheckpoint());
    expect(await verify(app.app.org, '--checkpoint', earlyCheckpoint())).toMatchObject({ code: 1, findings });
  });

  it.each(tamperings.filter((t) => t.looksUnprovable))(
    'accepts $name with --allow-unprovable, and counts it',
    async ({ apply }) => {
      await apply(intruder);
      const { code, unprovable } = await verify(app.app.org, '--allow-unprovable');
      expect(code).toBe(0);
      expect(unprovable).toBeGreaterThan(0);
    },
  );
});

it('verifies the log again after it was restored', async () => {
  expect(await verify(await exportLog(), '--checkpoint', earlyCheckpoint())).toMatchObject({ code: 0, verified: true });
});

it('exports the same entries by the command line, and records each read once', async () => {
  const before = readFileSync(await exportLog(), 'utf8');
  const file = join(folder, 'by-command.ndjson');
  expect(await holdfastShared(['audit', 'export', app.app.org, '--out', file], asOperator())).toMatchObject({
    code: 0,
    errors: `${intruder.size} entries in ${file}.\n`,
  });
  expect(readFileSync(file, 'utf8')).toBe(before);
  // Its own record is appended while it reads.
  expect(
    await holdfastShared(
      ['audit', 'verify', app.app.org, '--key', key, '--checkpoint', earlyCheckpoint()],
      asOperator(),
    ),
  ).toMatchObject({ code: 0 });
  const records = (await app.wholeLog())
    .filter((e) => e.seq > intruder.size && e.actor.type === 'operator')
    .map((e) => [e.action, e.outcome.result, e.request.route]);
  expect(records).toEqual([
    ['audit.export', 'success', 'holdfast audit verify'],
    ['audit.export', 'success', 'holdfast audit export'],
  ]);
});

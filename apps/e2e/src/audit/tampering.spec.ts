// Whoever owns the database can change everything in it, and is found out by a file and a pinned key.
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import pg from 'pg';
import { auditVerifierKeys, exportAuditEntries } from '@holdfast/contracts';
import { readCheckpoint } from '@holdfast/tlog';
import type { Client } from '../client.ts';
import { eventually } from '../parallel.ts';
import { closeConnections } from '../http.ts';
import { busClient, type BusClient } from '../nats.ts';
import { newCustomer } from '../sign-in/customer.fixture.ts';
import { customerScopes, newClients, stack } from '../under-test.ts';
import { holdfast } from './command-line.fixture.ts';
import { saveTables, restore, tamperings, disableTriggers, type Intruder } from './tampering.fixture.ts';

let app: Client;
let folder: string;
let key: string;
let operator: BusClient;
let intruder: Intruder;
const early = () => join(folder, 'early.checkpoint');

/**
 * Over the bus, as a service of the stack: the calls of an app or of the operator's command line would make the log
 * longer.
 */
async function exported(): Promise<string> {
  const file = join(folder, 'log.ndjson');
  const lines: object[] = [{ type: 'holdfast-audit-log', version: 1, origin: key.split('+')[0] }];
  const { entries, hasMore, ...end } = await operator.request(exportAuditEntries, { after: 0, limit: 500 });
  expect(hasMore).toBe(entries.at(-1)!.seq < readCheckpoint(end.checkpoint).size);
  lines.push(...entries, { type: 'end', count: entries.length, lastSeq: entries.at(-1)!.seq, ...end });
  writeFileSync(file, lines.map((line) => `${JSON.stringify(line)}\n`).join(''));
  return file;
}

const asOperator = () => ({ NATS_URL: stack.launcher.natsUrl, NATS_NKEY_SEED: stack.secrets.nkeySeeds.operator! });
const verify = async (source: string, ...more: string[]) => {
  const { code, output, errors } = await holdfast(
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
  writeFileSync(early(), (await app.call('GET', `${app.api}/admin/audit/checkpoint`)).text);
  await app.get(offer.subject);
  await app.get(offer.subject);
  await app.withdraw(offer.offerId);
  // A human, with an address.
  await newCustomer(app);
  const { body: erased } = await app.offer();
  await app.erase(erased.subject);
  const events = await app.wholeLog();
  // The two readings behind the early checkpoint, newest first.
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
    outside: { file: join(stack.home, 'checkpoints', app.app.org, 'latest'), note: '' },
  };
  // Until all that is still on its way has its place, and is signed.
  await eventually(
    async () => {
      const { rows } = await sql.query<{ seq: string; size: string; erased: string }>(
        `SELECT h.seq, c.size, (SELECT count(*) FROM entry e WHERE e.org = h.org AND action = 'subject.erase') AS erased FROM head h JOIN checkpoint c USING (org) WHERE org = $1`,
        [app.app.org],
      );
      intruder.size = Number(rows[0]?.seq);
      return rows[0]?.seq === rows[0]?.size && Number(rows[0]?.erased) > 0;
    },
    20_000,
    'waiting for the last checkpoint',
  );
  intruder.outside.note = readFileSync(intruder.outside.file, 'utf8');
  await saveTables(intruder);
});
afterAll(async () => {
  await intruder?.sql.end();
  await operator?.close();
  rmSync(folder, { recursive: true });
  closeConnections();
});

it('a log that nobody has touched verifies, against what was kept outside of the database as well', async () => {
  const { file: outside, note } = intruder.outside;
  expect(readCheckpoint(note).size).toBe(intruder.size);
  expect(await verify(await exported(), '--checkpoint', early(), '--checkpoint', outside)).toMatchObject({
    code: 0,
    verified: true,
    findings: [],
    entries: intruder.size,
    unprovable: 0,
    continues: [early(), outside],
  });
});

describe('somebody changes', () => {
  afterEach(() => restore(intruder));

  it.each(tamperings)('$name', async ({ by, says, live, allowed }) => {
    await by(intruder);
    const { code, verified, findings } = await verify(await exported(), '--checkpoint', early());
    const sentence = says(intruder);
    expect([code, verified, findings[0]]).toEqual([
      1,
      false,
      sentence instanceof RegExp ? expect.stringMatching(sentence) : expect.stringContaining(sentence),
    ]);
    if (live) expect(await verify(app.app.org, '--checkpoint', early())).toMatchObject({ code: 1, findings });
    if (allowed)
      expect(await verify(app.app.org, '--allow-unprovable')).toMatchObject({
        code: 0,
        unprovable: expect.any(Number) as unknown,
      });
  });
});

it('and a log that is as it was verifies again', async () => {
  expect(await verify(await exported(), '--checkpoint', early())).toMatchObject({ code: 0, verified: true });
});

it('the command line reads the same, and the log tells of it, once each time', async () => {
  const before = readFileSync(await exported(), 'utf8');
  const file = join(folder, 'by-command.ndjson');
  expect(await holdfast(['audit', 'export', app.app.org, '--out', file], asOperator())).toMatchObject({
    code: 0,
    errors: `${intruder.size} entries in ${file}.\n`,
  });
  expect(readFileSync(file, 'utf8')).toBe(before);
  // Its own record lands while it reads.
  expect(
    await holdfast(['audit', 'verify', app.app.org, '--key', key, '--checkpoint', early()], asOperator()),
  ).toMatchObject({ code: 0 });
  const records = (await app.wholeLog())
    .filter((e) => e.seq > intruder.size && e.actor.type === 'operator')
    .map((e) => [e.action, e.outcome.result, e.request.route]);
  expect(records).toEqual([
    ['audit.export', 'success', 'holdfast audit verify'],
    ['audit.export', 'success', 'holdfast audit export'],
  ]);
});

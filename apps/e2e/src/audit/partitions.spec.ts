// Retention: the operator drops past months of the log, and the rest still verifies.
import { createHash, randomUUID } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import pg from 'pg';
import { appendRecords, type Action } from '@holdfast/contracts';
import { stack } from '../clients/under-test.ts';
import { busClient, requestInfo } from '../stack/nats.ts';
import { holdfastShared } from './command-line.fixture.ts';
import { disableTriggers } from './tampering.fixture.ts';

interface Partition {
  class: string;
  month: string;
  droppable: boolean;
}

const oldMonth = '2019-05';
const oldMonthNumber = 2019 * 12 + 4;
/** By leaf index: entries of the old month, and of this one. */
const oldActions: Action[] = ['app.create', 'subject.read', 'app.grant', 'subject.read', 'app.create'];
const newActions: Action[] = ['app.grant', 'subject.read'];

describe('partitions of the log', () => {
  const org = `old-${randomUUID().slice(0, 8)}`;
  const folder = mkdtempSync(join(tmpdir(), 'holdfast-partitions-'));
  const file = join(folder, 'log.ndjson');
  let owner: pg.Client;
  const list = () => stack.operator<Partition[]>('audit', 'partitions');
  const asOperator = () => ({
    NATS_URL: stack.launcher.natsUrl,
    NATS_NKEY_SEED: stack.secrets.NATS_NKEY_SEED_OPERATOR!,
  });
  const verify = async (source = org) => {
    const [key = ''] = await stack.operator<string[]>('audit', 'key', org);
    const { code, output } = await holdfastShared(['audit', 'verify', source, '--key', key, '--json'], asOperator());
    return { code, ...(JSON.parse(output) as { dropped: number; findings: string[]; notes: string[] }) };
  };
  const append = async (actions: Action[], occurredAt: string) => {
    const gateway = await busClient(stack, 'gateway');
    const request = requestInfo();
    const records = actions.map((action) => ({
      org,
      record: {
        id: randomUUID(),
        occurredAt,
        action,
        actor: { type: 'system' as const, id: 'e2e' },
        targets: [],
        outcome: { result: 'success' as const },
        request,
      },
    }));
    await gateway.request(appendRecords, { records });
    await gateway.close();
  };

  /** Creates a log that began in the old month. */
  beforeAll(async () => {
    owner = new pg.Client({ connectionString: stack.launcher.databaseUrl });
    await owner.connect();
    await disableTriggers(owner);
    await append(oldActions, '2019-05-07T08:00:00.000Z');
    await owner.query('SELECT make_partitions($1), make_partitions($1 + 1)', [oldMonthNumber]);
    for (const table of ['leaf', 'entry', 'entry_target', 'head'])
      await owner.query(`UPDATE ${table} SET month = $1 WHERE org = $2`, [oldMonthNumber, org]);
    await append(newActions, new Date().toISOString());
  });
  afterAll(async () => {
    await owner.end();
    rmSync(folder, { recursive: true });
  });

  it('exist for this month and the next two, and none of these may be dropped', async () => {
    const current = (await list()).filter((p) => p.month >= new Date().toISOString().slice(0, 7));
    expect(current.map((p) => p.class).sort()).toEqual([
      'changes',
      'changes',
      'changes',
      'kept',
      'kept',
      'kept',
      'reads',
      'reads',
      'reads',
    ]);
    expect(current.some((p) => p.droppable)).toBe(false);
    const drop = stack.operator('audit', 'drop', '--class', 'reads', '--month', current[0]!.month, '--keep', '0');
    await expect(drop).rejects.toMatchObject({
      code: 1,
      stderr: expect.stringMatching(/may not be dropped yet\. Nothing was dropped/) as unknown,
    });
  });

  it('of a past month can be dropped, and the log accounts for each dropped entry and verifies', async () => {
    await owner.query(`CREATE TEMP TABLE saved AS SELECT * FROM entry WHERE org = '${org}' AND seq = 5`);
    expect(await verify()).toMatchObject({ code: 0, dropped: 0 });
    expect(
      (await list())
        .filter((p) => p.month === oldMonth && p.droppable)
        .map((p) => p.class)
        .sort(),
    ).toEqual(['changes', 'reads']);
    const { dropped, recorded } = await stack.operator<{ dropped: object[]; recorded: boolean }>(
      'audit',
      'drop',
      '--class',
      'changes',
      '--month',
      oldMonth,
    );
    expect({ dropped, recorded }).toEqual({ dropped: [{ org, entries: 3 }], recorded: true });
    expect(await verify()).toMatchObject({ code: 0, dropped: 3, findings: [], notes: [] });
    const records = await owner.query<{ leaf: string }>(
      "SELECT convert_from(leaf, 'UTF8') AS leaf FROM entry WHERE org = $1 AND action = 'audit.drop'",
      [org],
    );
    const sha256 = createHash('sha256')
      .update(Buffer.from([1, 3, 5].map((seq) => seq.toString(16).padStart(16, '0')).join(''), 'hex'))
      .digest('base64');
    expect(records.rows.map((r) => JSON.parse(r.leaf) as unknown)).toMatchObject([
      {
        actor: { type: 'operator' },
        changes: {
          retention: { to: 'changes' },
          month: { to: oldMonth },
          entries: { to: 3 },
          places: { to: { first: 1, last: 5, sha256 } },
        },
      },
    ]);
    const again = stack.operator('audit', 'drop', '--class', 'changes', '--month', oldMonth);
    await expect(again).rejects.toMatchObject({ code: 1 });
    await expect(stack.operator('analytics', 'rebuild', org)).rejects.toMatchObject({
      code: 1,
      stderr: expect.stringMatching(/Entries were dropped from the log/) as unknown,
    });
  });

  it('that were dropped do not account for another missing entry, even when the number is right', async () => {
    // A dropped entry is restored, in the next month so that the order of months stays valid, and a recent one deleted.
    await owner.query('UPDATE leaf SET month = month + 1 WHERE org = $1 AND seq = 5', [org]);
    await owner.query('UPDATE saved SET month = month + 1');
    await owner.query('INSERT INTO entry SELECT * FROM saved');
    await owner.query('DELETE FROM entry WHERE org = $1 AND seq = 6', [org]);
    const findings = [
      expect.stringMatching('^Entry 5 has a month in which nothing up to it has happened: '),
      expect.stringMatching(
        '^1 entry of class changes and month \\d{4}-\\d{2} has no bytes, at seq 6, ' +
          'and no record says that it was dropped: removed without a record\\.$',
      ),
      expect.stringMatching(
        '^Entry \\d+ records that 3 entries of class changes and month 2019-05 were dropped, ' +
          'but 2, from seq 1 to 3, have no bytes\\.$',
      ),
    ];
    expect(await verify()).toMatchObject({ code: 1, dropped: 3, findings });
    expect(await holdfastShared(['audit', 'export', org, '--out', file], asOperator())).toMatchObject({ code: 0 });
    expect(await verify(file)).toMatchObject({ code: 1, dropped: 3, findings });
  });
});

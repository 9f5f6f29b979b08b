// Retention: months of the log that are over are dropped by the operator, and what is left still verifies.
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import pg from 'pg';
import { house } from '../under-test.ts';

interface Partition {
  class: string;
  month: string;
  droppable: boolean;
}

const old = '2019-05';
const oldNumber = 2019 * 12 + 4;

describe('partitions of the log', () => {
  let owner: pg.Client;
  let org: string;
  const list = () => house.operator<Partition[]>('audit', 'partitions');
  const verify = async () => {
    const [key = ''] = await house.operator<string[]>('audit', 'key', org);
    return house.operator<{ verified: boolean; dropped: number }>('audit', 'verify', org, '--key', key);
  };
  /** As if the organization had been made then. Its entries alone, so that other tests keep theirs. */
  const makeOld = async () => {
    await owner.query('SELECT audit.make_partitions($1)', [oldNumber]);
    await owner.query('SET session_replication_role = replica');
    for (const table of ['place', 'entry', 'entry_target']) await owner.query(`UPDATE audit.${table} SET month = $1 WHERE org = $2 AND class = 'changes'`, [oldNumber, org]);
    await owner.query('RESET session_replication_role');
  };

  beforeAll(async () => {
    owner = new pg.Client({ connectionString: house.launcher.databaseUrl });
    await owner.connect();
    org = await house.newOrganization();
  });
  afterAll(() => owner.end());

  it('are there for this month and the next two, and none of them may be dropped', async () => {
    const current = (await list()).filter((p) => p.month >= new Date().toISOString().slice(0, 7));
    expect(current.map((p) => p.class).sort()).toEqual(['changes', 'changes', 'changes', 'kept', 'kept', 'kept', 'reads', 'reads', 'reads']);
    expect(current.some((p) => p.droppable)).toBe(false);
    const drop = house.operator('audit', 'drop', '--class', 'reads', '--month', current[0]!.month, '--keep', '0');
    await expect(drop).rejects.toMatchObject({ code: 1, stderr: expect.stringMatching(/may not be dropped yet\. Nothing was dropped/) as unknown });
  });

  it('of a month that is over are dropped, and the log accounts for it and verifies', async () => {
    await makeOld();
    expect((await list()).filter((p) => p.month === old && p.droppable).map((p) => p.class).sort()).toEqual(['changes', 'reads']);
    const { dropped, recorded } = await house.operator<{ dropped: { org: string; entries: number }[]; recorded: boolean }>('audit', 'drop', '--class', 'changes', '--month', old);
    expect({ dropped, recorded }).toEqual({ dropped: [{ org, entries: expect.any(Number) as unknown }], recorded: true });
    expect(await verify()).toMatchObject({ verified: true, dropped: dropped[0]!.entries });
    const records = await owner.query<{ leaf: string }>("SELECT convert_from(leaf, 'UTF8') AS leaf FROM audit.entry WHERE org = $1 AND action = 'audit.drop'", [org]);
    expect(records.rows.map((r) => JSON.parse(r.leaf) as unknown)).toMatchObject([{ actor: { type: 'operator' }, changes: { retention: { to: 'changes' }, month: { to: old }, entries: { to: dropped[0]!.entries } } }]);
    await expect(house.operator('audit', 'drop', '--class', 'changes', '--month', old)).rejects.toMatchObject({ code: 1 });
  });
});

import type pg from 'pg';
import { CompactRange } from '@holdfast/tlog';
import { replaceStored } from './stored-checkpoints.fixture.ts';

/** The owner of the database, who can disable its triggers. */
export interface Intruder {
  sql: pg.Client;
  org: string;
  /** Two adjacent entries of the same kind in the middle of the log. `at` is the first of them. */
  at: number;
  other: number;
  size: number;
  /** The newest checkpoint outside the database, and the folder of all of them. */
  outside: { folder: string; note: string };
}

const tables = [
  'head',
  'leaf',
  'entry',
  'entry_target',
  'subtree',
  'checkpoint',
  'pseudonym_mapping',
  'personal_data_key',
];

export async function disableTriggers(sql: pg.Client): Promise<void> {
  await sql.query('SET session_replication_role = replica');
  await sql.query('SET search_path = audit, pg_temp');
}

export async function saveTables({ sql, org }: Intruder): Promise<void> {
  for (const table of tables)
    await sql.query(`CREATE TEMP TABLE copy_${table} AS SELECT * FROM audit.${table} WHERE org = '${org}'`);
}

/** Undoes a tampering, and removes the records of the command line's reads, which have made the log longer. */
export async function restore({ sql, org, outside }: Intruder): Promise<void> {
  await sql.query('BEGIN');
  for (const table of tables) {
    await sql.query(`DELETE FROM audit.${table} WHERE org = $1`, [org]);
    await sql.query(`INSERT INTO audit.${table} SELECT * FROM copy_${table}`);
  }
  await sql.query('COMMIT');
  replaceStored(outside.folder, org, outside.note);
}

/** Other bytes of the same length, so that nothing but the hash can reveal the change. */
const otherLeaf = `convert_to(replace(convert_from(leaf, 'UTF8'), '"result":"success"', '"result":"failure"'), 'UTF8')`;

async function deleteEntries({ sql, org }: Intruder, from: number, to = from): Promise<void> {
  for (const table of ['entry', 'entry_target', 'leaf'])
    await sql.query(`DELETE FROM ${table} WHERE org = $1 AND seq BETWEEN $2 AND $3`, [org, from, to]);
}

/** Changes all tables that contain a `seq`. */
async function updateEntries({ sql, org }: Intruder, set: string, from: number, to = from): Promise<void> {
  for (const table of ['entry', 'entry_target', 'leaf'])
    await sql.query(`UPDATE ${table} SET ${set} WHERE org = $1 AND seq BETWEEN $2 AND $3`, [org, from, to]);
}

/** Computes leaf hashes, tree and head again from the entries, and deletes the checkpoint. */
async function rebuildTree({ sql, org }: Intruder): Promise<void> {
  await sql.query(
    `UPDATE leaf l SET leaf_hash = sha256('\\x00'::bytea || e.leaf) FROM entry e
      WHERE e.org = l.org AND e.seq = l.seq AND l.org = $1`,
    [org],
  );
  const { rows } = await sql.query<{ leaf_hash: Buffer }>('SELECT leaf_hash FROM leaf WHERE org = $1 ORDER BY seq', [
    org,
  ]);
  const range = CompactRange.empty();
  for (const { leaf_hash } of rows) range.append(leaf_hash);
  await sql.query('UPDATE head SET seq = $2, range = $3 WHERE org = $1', [org, range.size, range.toBytes()]);
  await sql.query('DELETE FROM checkpoint WHERE org = $1', [org]);
}

export interface Tampering {
  name: string;
  apply: (intruder: Intruder) => Promise<unknown>;
  /** Verifies the running stack as well as an exported file. */
  alsoOnline?: true;
  /** --allow-unprovable accepts it, because it looks like an old or an erased entry. */
  looksUnprovable?: true;
  /** The first finding of the verifier. */
  finding: (intruder: Intruder) => string | RegExp;
}

const updateOne =
  (set: string) =>
  ({ sql, org, at }: Intruder) =>
    sql.query(`UPDATE entry SET ${set} WHERE org = $1 AND seq = $2`, [org, at]);

/** The finding for a log whose hashes were changed as well. */
const rewritten = new RegExp(
  '^Entries \\d+ to \\d+ are not the ones that the newest checkpoint covers: the log was rewritten there, ' +
    'including its hashes\\. Up to entry \\d+ the log is as it was signed\\.$',
);
const columnsAfterSeq =
  'class, month, occurred_at, action, actor_id, outcome, personal_data_key_id, personal_data, leaf';

export const tamperings: Tampering[] = [
  {
    name: 'a changed leaf',
    apply: updateOne(`leaf = ${otherLeaf}`),
    finding: ({ at }) => `Entry ${at} was changed: its bytes do not match its hash in the tree.`,
  },
  {
    name: 'a leaf that was changed together with its hash and its column',
    apply: async (intruder) => {
      await updateOne(`leaf = ${otherLeaf}, outcome = 'failure'`)(intruder);
      await intruder.sql.query(
        `UPDATE leaf l SET leaf_hash = sha256('\\x00'::bytea || e.leaf) FROM entry e
          WHERE e.org = l.org AND e.seq = l.seq AND l.org = $1 AND l.seq = $2`,
        [intruder.org, intruder.at],
      );
    },
    finding: () => rewritten,
  },
  {
    name: 'a changed action column',
    apply: updateOne(`action = 'audit.list'`),
    finding: ({ at }) =>
      `Entry ${at} has a wrong action column: it says "audit.list", but the logged entry says "subject.read".`,
  },
  {
    name: 'a changed actor column',
    apply: updateOne(`actor_id = 'app_somebodyelse'`),
    finding: ({ at }) => `Entry ${at} has a wrong actor column: it says "app_somebodyelse"`,
  },
  {
    name: 'a changed time column',
    apply: updateOne(`occurred_at = occurred_at - interval '1 day'`),
    finding: ({ at }) => `Entry ${at} has a wrong time column`,
  },
  {
    name: 'a changed outcome column',
    apply: updateOne(`outcome = 'denied'`),
    finding: ({ at }) =>
      `Entry ${at} has a wrong outcome column: it says "denied", but the logged entry says "success".`,
  },
  {
    name: 'a deleted target',
    apply: ({ sql, org, at }) => sql.query('DELETE FROM entry_target WHERE org = $1 AND seq = $2', [org, at]),
    finding: ({ at }) => `Entry ${at} has a wrong targets column: it says []`,
  },
  {
    name: 'an entry in the middle that was deleted from all tables',
    apply: (i) => deleteEntries(i, i.at),
    finding: ({ at }) => `Entry ${at} is missing: ${at - 1} is followed by ${at + 1}.`,
  },
  {
    name: 'an entry in the middle that was deleted as if its retention had ended',
    apply: ({ sql, org, at }) => sql.query('DELETE FROM entry WHERE org = $1 AND seq = $2', [org, at]),
    finding: ({ at }) =>
      new RegExp(
        `^1 entry of class reads and month \\d{4}-\\d{2} has no bytes, at seq ${at}, ` +
          'and no record says that it was dropped: removed without a record\\.$',
      ),
  },
  {
    name: 'deleted newest entries',
    apply: (i) => deleteEntries(i, i.size - 2, i.size),
    finding: ({ size }) =>
      `The log ends at ${size - 3}, but the newest checkpoint covers ${size}: at least 3 entries are missing.`,
  },
  {
    name: 'deleted newest entries with a recomputed tree and no checkpoint in the database',
    apply: async (i) => {
      await deleteEntries(i, i.size - 2, i.size);
      await rebuildTree(i);
    },
    finding: ({ size }) =>
      `The log ends at ${size - 3}, but the newest checkpoint covers ${size}: at least 3 entries are missing.`,
  },
  {
    name: 'two entries with swapped indexes',
    apply: ({ sql, org, at, other }) =>
      sql.query('UPDATE entry SET seq = $2::bigint + $3::bigint - seq WHERE org = $1 AND seq IN ($2, $3)', [
        org,
        at,
        other,
      ]),
    finding: ({ at, other }) => `Entry ${at} is at the wrong index: its content was logged as entry ${other}.`,
  },
  {
    name: 'an inserted entry',
    apply: ({ sql, org, at, other }) =>
      sql.query(
        `INSERT INTO entry SELECT org, $3, ${columnsAfterSeq}
           FROM entry WHERE org = $1 AND seq = $2`,
        [org, other, at],
      ),
    finding: ({ at }) => `Entry ${at} exists twice: one of the two was inserted.`,
  },
  {
    name: 'an entry inserted into another partition',
    apply: ({ sql, org, at }) =>
      sql.query(
        `INSERT INTO entry SELECT org, seq, 'kept', month, occurred_at, 'subject.erase',
                actor_id, outcome, personal_data_key_id, personal_data, leaf
           FROM entry WHERE org = $1 AND seq = $2`,
        [org, at],
      ),
    finding: ({ at }) => `Entry ${at} exists twice: one of the two was inserted.`,
  },
  {
    name: 'an entry inserted after the end',
    apply: ({ sql, org, at, size }) =>
      sql.query(
        `INSERT INTO entry SELECT org, $3, ${columnsAfterSeq}
           FROM entry WHERE org = $1 AND seq = $2`,
        [org, at, size + 5],
      ),
    finding: ({ size }) => `Entries ${size + 1} to ${size + 4} are missing: ${size} is followed by ${size + 5}.`,
  },
  {
    name: 'a forked log with its own tree',
    apply: async (i) => {
      await updateOne(`leaf = ${otherLeaf}, outcome = 'failure'`)(i);
      await rebuildTree(i);
    },
    finding: () => rewritten,
  },
  {
    name: 'a changed month of one entry',
    alsoOnline: true,
    apply: (i) => updateEntries(i, 'month = month + 2', i.at),
    finding: ({ at }) =>
      new RegExp(
        `^Entry ${at} has the month \\d{4}-\\d{2}, and the next entry, ${at + 1}, has \\d{4}-\\d{2}: ` +
          'one of the two months was changed, and lists do not find that entry\\.$',
      ),
  },
  {
    name: 'a changed month of all entries, so that they could be dropped',
    alsoOnline: true,
    apply: async (i) => {
      await i.sql.query('SELECT make_partitions($1)', [2024 * 12]);
      await updateEntries(i, `month = ${2024 * 12}`, 1, i.size);
    },
    finding: () =>
      new RegExp(
        '^Entry 1 has the month 2024-01, but happened later, at .*: ' +
          'the month was changed, and the entry would be dropped too early\\.$',
      ),
  },
  {
    name: 'a changed retention class, so that the entry could be dropped',
    alsoOnline: true,
    apply: async (i) => {
      const { rows } = await i.sql.query<{ seq: number }>(
        "SELECT seq::int AS seq FROM entry WHERE org = $1 AND action = 'subject.erase'",
        [i.org],
      );
      await updateEntries(i, "class = 'reads'", rows[0]!.seq);
    },
    finding: () =>
      /^Entry \d+ has a wrong retention class: the column says "reads", but subject\.erase belongs to "kept"/,
  },
  {
    name: 'two swapped pseudonym mappings, as if they were from before mappings had a salt',
    alsoOnline: true,
    looksUnprovable: true,
    apply: async ({ sql, org }) => {
      const { rows } = await sql.query<{ pseudonym: string; value: string }>(
        'SELECT pseudonym, value FROM pseudonym_mapping WHERE org = $1 ORDER BY value LIMIT 2',
        [org],
      );
      const [one, other] = rows as [(typeof rows)[0], (typeof rows)[0]];
      const setMapping = (pseudonym: string, value: string) =>
        sql.query('UPDATE pseudonym_mapping SET value = $3, salt = NULL WHERE org = $1 AND pseudonym = $2', [
          org,
          pseudonym,
          value,
        ]);
      await setMapping(one.pseudonym, 'nobody');
      await setMapping(other.pseudonym, one.value);
      await setMapping(one.pseudonym, other.value);
    },
    finding: () =>
      new RegExp(
        '^Entry \\d+ has the first of \\d+ pseudonym mappings without a salt, ' +
          'which cannot be checked against the logged pseudonym\\.',
      ),
  },
  {
    name: 'a deleted personal data key, as if the customer were erased',
    alsoOnline: true,
    looksUnprovable: true,
    apply: ({ sql, org }) => sql.query('DELETE FROM personal_data_key WHERE org = $1', [org]),
    finding: () =>
      new RegExp(
        '^Entry \\d+( and \\d+ others?)? withholds an address, user agent or reason that was logged, ' +
          'as if that person were erased, but their pseudonym still has a mapping',
      ),
  },
  {
    name: 'deleted pseudonym mappings, as if the customer were erased',
    alsoOnline: true,
    apply: ({ sql, org }) => sql.query('DELETE FROM pseudonym_mapping WHERE org = $1', [org]),
    finding: () =>
      new RegExp(
        '^Entry \\d+ has a pseudonym without a mapping, as if that customer or person were erased, ' +
          'but no record of subject.erase or user.remove names them: the mapping was removed',
      ),
  },
  {
    name: 'a pseudonym mapping with another value',
    apply: ({ sql, org }) =>
      sql.query('UPDATE pseudonym_mapping SET value = gen_random_uuid()::text WHERE org = $1', [org]),
    finding: () =>
      new RegExp(
        '^Entry \\d+ names somebody other than was logged: ' +
          'its pseudonym [\\w-]{22} does not match the id in its mapping\\.$',
      ),
  },
  {
    name: 'changed personal data',
    apply: ({ sql, org }) =>
      sql.query(
        `UPDATE entry SET personal_data =
           set_byte(personal_data, length(personal_data) - 1, get_byte(personal_data, length(personal_data) - 1) # 1)
          WHERE org = $1 AND personal_data IS NOT NULL`,
        [org],
      ),
    finding: () => /^Entry \d+ shows another (address|userAgent) than was logged/,
  },
];

import { writeFileSync } from 'node:fs';
import type pg from 'pg';
import { CompactRange } from '@holdfast/tlog';

/** Who owns the database can switch its guards off. */
export interface Intruder {
  sql: pg.Client;
  org: string;
  /** Two adjacent entries of the same kind in the middle of the log; `at` is the first of them. */
  at: number;
  other: number;
  size: number;
  /** The newest checkpoint outside of the database, and where it is kept. */
  outside: { file: string; note: string };
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

/**
 * Everything as it was: the next tampering begins with a fresh log. The command line has made it longer, whose reading
 * is recorded.
 */
export async function restore({ sql, org, outside }: Intruder): Promise<void> {
  await sql.query('BEGIN');
  for (const table of tables) {
    await sql.query(`DELETE FROM audit.${table} WHERE org = $1`, [org]);
    await sql.query(`INSERT INTO audit.${table} SELECT * FROM copy_${table}`);
  }
  await sql.query('COMMIT');
  writeFileSync(outside.file, outside.note);
}

/** Other bytes of the same length, so that nothing else gives them away. */
const otherLeaf = `convert_to(replace(convert_from(leaf, 'UTF8'), '"result":"success"', '"result":"failure"'), 'UTF8')`;

async function gone({ sql, org }: Intruder, from: number, to = from): Promise<void> {
  for (const table of ['entry', 'entry_target', 'leaf'])
    await sql.query(`DELETE FROM ${table} WHERE org = $1 AND seq BETWEEN $2 AND $3`, [org, from, to]);
}

/** Like an intruder who knows all tables that contain a `seq`. */
async function everywhere({ sql, org }: Intruder, set: string, from: number, to = from): Promise<void> {
  for (const table of ['entry', 'entry_target', 'leaf'])
    await sql.query(`UPDATE ${table} SET ${set} WHERE org = $1 AND seq BETWEEN $2 AND $3`, [org, from, to]);
}

/** Makes the end of the log anew from what stands in it. */
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
  by: (intruder: Intruder) => Promise<unknown>;
  /** Whether the stack is asked as well as a file. */
  live?: true;
  /** Whether --allow-unprovable takes it for what it looks like. */
  allowed?: true;
  /** What the verifier says first. */
  says: (intruder: Intruder) => string | RegExp;
}

const one =
  (set: string) =>
  ({ sql, org, at }: Intruder) =>
    sql.query(`UPDATE entry SET ${set} WHERE org = $1 AND seq = $2`, [org, at]);

export const tamperings: Tampering[] = [
  {
    name: 'a leaf',
    by: one(`leaf = ${otherLeaf}`),
    says: ({ at }) => `Entry ${at} was changed: its bytes do not match its hash in the tree.`,
  },
  {
    name: 'a leaf with its hash and its column',
    by: async (intruder) => {
      await one(`leaf = ${otherLeaf}, outcome = 'failure'`)(intruder);
      await intruder.sql.query(
        `UPDATE leaf l SET leaf_hash = sha256('\\x00'::bytea || e.leaf) FROM entry e
          WHERE e.org = l.org AND e.seq = l.seq AND l.org = $1 AND l.seq = $2`,
        [intruder.org, intruder.at],
      );
    },
    says: () =>
      /^Entries \d+ to \d+ are not the ones that the newest checkpoint covers: the log was rewritten there, including its hashes\. Up to entry \d+ the log is as it was signed\.$/,
  },
  {
    name: 'the action by which it is found',
    by: one(`action = 'audit.list'`),
    says: ({ at }) =>
      `Entry ${at} has a wrong action column: it says "audit.list", but the logged entry says "subject.read".`,
  },
  {
    name: 'the actor by which it is found',
    by: one(`actor_id = 'app_somebodyelse'`),
    says: ({ at }) => `Entry ${at} has a wrong actor column: it says "app_somebodyelse"`,
  },
  {
    name: 'the time by which it is found',
    by: one(`occurred_at = occurred_at - interval '1 day'`),
    says: ({ at }) => `Entry ${at} has a wrong time column`,
  },
  {
    name: 'the outcome by which it is found',
    by: one(`outcome = 'denied'`),
    says: ({ at }) => `Entry ${at} has a wrong outcome column: it says "denied", but the logged entry says "success".`,
  },
  {
    name: 'a target by which it is found',
    by: ({ sql, org, at }) => sql.query('DELETE FROM entry_target WHERE org = $1 AND seq = $2', [org, at]),
    says: ({ at }) => `Entry ${at} has a wrong targets column: it says []`,
  },
  {
    name: 'a row in the middle, with all that belongs to it',
    by: (i) => gone(i, i.at),
    says: ({ at }) => `Entry ${at} is missing: ${at - 1} is followed by ${at + 1}.`,
  },
  {
    name: 'a row in the middle, as if its retention had ended',
    by: ({ sql, org, at }) => sql.query('DELETE FROM entry WHERE org = $1 AND seq = $2', [org, at]),
    says: ({ at }) =>
      new RegExp(
        `^1 entry of class reads and month \\d{4}-\\d{2} has no bytes, at seq ${at}, and no record says that it was dropped: removed without a record\\.$`,
      ),
  },
  {
    name: 'the newest rows',
    by: (i) => gone(i, i.size - 2, i.size),
    says: ({ size }) =>
      `The log ends at ${size - 3}, but the newest checkpoint covers ${size}: at least 3 entries are missing.`,
  },
  {
    name: 'the newest rows, with the end of the tree and the checkpoint in the database',
    by: async (i) => {
      await gone(i, i.size - 2, i.size);
      await rebuildTree(i);
    },
    says: ({ size }) =>
      `The log ends at ${size - 3}, but the newest checkpoint covers ${size}: at least 3 entries are missing.`,
  },
  {
    name: 'the order of two rows',
    by: ({ sql, org, at, other }) =>
      sql.query('UPDATE entry SET seq = $2::bigint + $3::bigint - seq WHERE org = $1 AND seq IN ($2, $3)', [
        org,
        at,
        other,
      ]),
    says: ({ at, other }) => `Entry ${at} is at the wrong index: its content was logged as entry ${other}.`,
  },
  {
    name: 'a row put in',
    by: ({ sql, org, at, other }) =>
      sql.query(
        `INSERT INTO entry SELECT org, $3, class, month, occurred_at, action, actor_id, outcome, personal_data_key_id, personal_data, leaf
           FROM entry WHERE org = $1 AND seq = $2`,
        [org, other, at],
      ),
    says: ({ at }) => `Entry ${at} exists twice: one of the two was inserted.`,
  },
  {
    name: 'a row put in where the log does not look for it',
    by: ({ sql, org, at }) =>
      sql.query(
        `INSERT INTO entry SELECT org, seq, 'kept', month, occurred_at, 'subject.erase', actor_id, outcome, personal_data_key_id, personal_data, leaf
           FROM entry WHERE org = $1 AND seq = $2`,
        [org, at],
      ),
    says: ({ at }) => `Entry ${at} exists twice: one of the two was inserted.`,
  },
  {
    name: 'a row put behind the end',
    by: ({ sql, org, at, size }) =>
      sql.query(
        `INSERT INTO entry SELECT org, $3, class, month, occurred_at, action, actor_id, outcome, personal_data_key_id, personal_data, leaf
           FROM entry WHERE org = $1 AND seq = $2`,
        [org, at, size + 5],
      ),
    says: ({ size }) => `Entries ${size + 1} to ${size + 4} are missing: ${size} is followed by ${size + 5}.`,
  },
  {
    name: 'the whole log, by a fork with a tree of its own',
    by: async (i) => {
      await one(`leaf = ${otherLeaf}, outcome = 'failure'`)(i);
      await rebuildTree(i);
    },
    says: () =>
      /^Entries \d+ to \d+ are not the ones that the newest checkpoint covers: the log was rewritten there, including its hashes\. Up to entry \d+ the log is as it was signed\.$/,
  },
  {
    name: 'the month of a row in the middle',
    live: true,
    by: (i) => everywhere(i, 'month = month + 2', i.at),
    says: ({ at }) =>
      new RegExp(
        `^Entry ${at} has the month \\d{4}-\\d{2}, and the next entry, ${at + 1}, has \\d{4}-\\d{2}: one of the two months was changed, and lists do not find that entry\\.$`,
      ),
  },
  {
    name: 'the month of all rows, so that they may be dropped',
    live: true,
    by: async (i) => {
      await i.sql.query('SELECT make_partitions($1)', [2024 * 12]);
      await everywhere(i, `month = ${2024 * 12}`, 1, i.size);
    },
    says: () =>
      /^Entry 1 has the month 2024-01, but happened later, at .*: the month was changed, and the entry would be dropped too early\.$/,
  },
  {
    name: 'the class of a row, so that it may be dropped',
    live: true,
    by: async (i) => {
      const { rows } = await i.sql.query<{ seq: number }>(
        "SELECT seq::int AS seq FROM entry WHERE org = $1 AND action = 'subject.erase'",
        [i.org],
      );
      await everywhere(i, "class = 'reads'", rows[0]!.seq);
    },
    says: () => /^Entry \d+ has a wrong retention class: the column says "reads", but subject\.erase belongs to "kept"/,
  },
  {
    name: 'whom two pseudonyms mean, as if they were from before pseudonyms had a salt',
    live: true,
    allowed: true,
    by: async ({ sql, org }) => {
      const { rows } = await sql.query<{ pseudonym: string; value: string }>(
        'SELECT pseudonym, value FROM pseudonym_mapping WHERE org = $1 ORDER BY value LIMIT 2',
        [org],
      );
      const [one, other] = rows as [(typeof rows)[0], (typeof rows)[0]];
      const mean = (pseudonym: string, value: string) =>
        sql.query('UPDATE pseudonym_mapping SET value = $3, salt = NULL WHERE org = $1 AND pseudonym = $2', [
          org,
          pseudonym,
          value,
        ]);
      await mean(one.pseudonym, 'nobody');
      await mean(other.pseudonym, one.value);
      await mean(one.pseudonym, other.value);
    },
    says: () =>
      /^Entry \d+ has the first of \d+ pseudonym mappings without a salt, which cannot be checked against the logged pseudonym\./,
  },
  {
    name: 'that somebody was erased, by taking the key to what is personal',
    live: true,
    allowed: true,
    by: ({ sql, org }) => sql.query('DELETE FROM personal_data_key WHERE org = $1', [org]),
    says: () =>
      /^Entry \d+( and \d+ others?)? withholds an address, user agent or reason that was logged, as if that person were erased, but their pseudonym still has a mapping/,
  },
  {
    name: 'that somebody was erased, by taking their names',
    live: true,
    by: ({ sql, org }) => sql.query('DELETE FROM pseudonym_mapping WHERE org = $1', [org]),
    says: () =>
      /^Entry \d+ has a pseudonym without a mapping, as if that customer were erased, but no subject.erase record names them: the mapping was removed/,
  },
  {
    name: 'whom a pseudonym means',
    by: ({ sql, org }) =>
      sql.query('UPDATE pseudonym_mapping SET value = gen_random_uuid()::text WHERE org = $1', [org]),
    says: () =>
      /^Entry \d+ names somebody other than was logged: its pseudonym [\w-]{22} does not match the id in its mapping\.$/,
  },
  {
    name: 'where somebody came from',
    by: ({ sql, org }) =>
      sql.query(
        `UPDATE entry SET personal_data =
           set_byte(personal_data, length(personal_data) - 1, get_byte(personal_data, length(personal_data) - 1) # 1)
          WHERE org = $1 AND personal_data IS NOT NULL`,
        [org],
      ),
    says: () => /^Entry \d+ shows another (address|userAgent) than was logged/,
  },
];

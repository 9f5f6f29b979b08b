import type { MigrationInterface, QueryRunner } from 'typeorm';
import { actionNames, databaseRole, retentionNames, retentionOf } from '@holdfast/contracts';
import { growTrees } from './grow-trees.js';
import { dropPartitions, listPartitions, makePartitions } from './partition-functions.js';

const role = databaseRole('audit');

/**
 * The log becomes provable and divisible: places with the hashes of their leaves, entries in partitions, keys of
 * persons.
 */
export class ProvableLog1764000000000 implements MigrationInterface {
  name = 'ProvableLog1764000000000';

  async up(runner: QueryRunner): Promise<void> {
    for (const sql of [
      ...setAside,
      ...tables,
      ...partitioned,
      makePartitions,
      ...listPartitions,
      dropPartitions,
      ...rights,
    ])
      await runner.query(sql);
    const [last] = (await runner.query(
      'SELECT extract(year FROM now())::int * 12 + extract(month FROM now())::int - 1 AS month',
    )) as { month: number }[];
    for (let ahead = 0; ahead < 3; ahead += 1) await runner.query('SELECT make_partitions($1)', [last!.month + ahead]);
    await move(runner);
    await growTrees(runner);
    for (const table of ['entry_before', 'entry_target_before']) await runner.query(`DROP TABLE ${table}`);
  }

  async down(): Promise<void> {
    throw new Error('the audit log is never dropped');
  }
}

const setAside = ['ALTER TABLE entry RENAME TO entry_before', 'ALTER TABLE entry_target RENAME TO entry_target_before'];

const tables = [
  // The tree so far and what is needed to find a time in it: latest = the latest time of all entries, late_ms = by how
  // much an entry has come after a later one, at most.
  `ALTER TABLE head
     ADD COLUMN range bytea NOT NULL DEFAULT '',
     ADD COLUMN month int NOT NULL DEFAULT 0,
     ADD COLUMN latest timestamptz(3) NOT NULL DEFAULT 'epoch',
     ADD COLUMN late_ms bigint NOT NULL DEFAULT 0`,
  // One row for each place that was ever given out. It stays when its entry is dropped, since the tree needs its hash.
  `CREATE TABLE place (
     org text NOT NULL,
     seq bigint NOT NULL,
     id uuid NOT NULL,
     class text NOT NULL,
     month int NOT NULL,
     from_provisional boolean NOT NULL,
     leaf_hash bytea NOT NULL,
     PRIMARY KEY (org, seq),
     CONSTRAINT place_id UNIQUE (org, id))`,
  // Hashes of complete subtrees of 256, 65536, … leaves (level 1, 2, …). last_at: the latest time of all entries up to
  // its end.
  `CREATE TABLE subtree (
     org text NOT NULL,
     level smallint NOT NULL,
     index bigint NOT NULL,
     hash bytea NOT NULL,
     last_at timestamptz(3) NOT NULL,
     PRIMARY KEY (org, level, index))`,
  'CREATE INDEX subtree_last_at ON subtree (org, last_at, index) WHERE level = 1',
  // The last checkpoint of each log that was signed.
  `CREATE TABLE checkpoint (
     org text PRIMARY KEY,
     size bigint NOT NULL,
     note text NOT NULL)`,
  // Keys of persons, sealed. Deleting one makes unreadable what the log holds of that person's.
  `CREATE TABLE person_key (
     org text NOT NULL,
     data_subject text NOT NULL,
     person uuid NOT NULL,
     key bytea NOT NULL,
     PRIMARY KEY (org, data_subject),
     CONSTRAINT person_key_person UNIQUE (org, person))`,
  // A pseudonym made from now on is the hash of salt and value, so that a changed row can be told. Older ones are
  // random.
  'ALTER TABLE pseudonym ADD COLUMN salt bytea',
];

/** By class of retention, then by the month in which places were given, counted from year 0. */
const partitioned = [
  `CREATE TABLE entry (
     org text NOT NULL,
     seq bigint NOT NULL,
     class text NOT NULL,
     month int NOT NULL,
     occurred_at timestamptz(3) NOT NULL,
     action text NOT NULL,
     actor_id text NOT NULL,
     outcome text NOT NULL,
     person uuid,
     personal bytea,
     leaf bytea NOT NULL) PARTITION BY LIST (class)`,
  'CREATE INDEX entry_place ON entry (org, seq)',
  'CREATE INDEX entry_by_action ON entry (org, action, seq)',
  'CREATE INDEX entry_by_actor ON entry (org, actor_id, seq)',
  'CREATE INDEX entry_by_outcome ON entry (org, outcome, seq)',
  `CREATE TABLE entry_target (
     org text NOT NULL,
     target text NOT NULL,
     seq bigint NOT NULL,
     class text NOT NULL,
     month int NOT NULL) PARTITION BY LIST (class)`,
  'CREATE UNIQUE INDEX entry_target_places ON entry_target (org, target, seq, class, month)',
  // Of the export. By hash, so that no plan takes it for a way to read in order.
  'CREATE INDEX entry_target_place ON entry_target USING hash (seq)',
  ...['entry', 'entry_target'].flatMap((table) =>
    retentionNames.map(
      (name) =>
        `CREATE TABLE ${table}_${name} PARTITION OF ${table} FOR VALUES IN ('${name}') PARTITION BY LIST (month)`,
    ),
  ),
];

const rights = [
  ...[
    'entry',
    'entry_target',
    ...['entry', 'entry_target'].flatMap((table) => retentionNames.map((name) => `${table}_${name}`)),
  ].map((table) => `REVOKE UPDATE, DELETE ON ${table} FROM ${role}`),
  ...['place', 'subtree'].flatMap((table) => [
    `REVOKE UPDATE, DELETE ON ${table} FROM ${role}`,
    `CREATE TRIGGER only_grows BEFORE UPDATE OR DELETE OR TRUNCATE ON ${table} FOR EACH STATEMENT EXECUTE FUNCTION refuse_change()`,
  ]),
  // On the partitioned tables themselves: an update that is sent to a single partition meets that one's own trigger.
  ...['entry', 'entry_target'].map(
    (table) =>
      `CREATE TRIGGER only_grows BEFORE UPDATE OR DELETE OR TRUNCATE ON ${table} FOR EACH STATEMENT EXECUTE FUNCTION refuse_change()`,
  ),
  'REVOKE ALL ON FUNCTION make_partitions, drop_partitions FROM PUBLIC',
  `GRANT EXECUTE ON FUNCTION make_partitions TO ${role}`,
];

/**
 * What stands in a log already gets the month in which it happened, or that of an entry before it when that is later.
 */
async function move(runner: QueryRunner): Promise<void> {
  const classes = actionNames.map((action) => `('${action}', '${retentionOf(action)}')`).join(', ');
  await runner.query(`CREATE TEMP TABLE moving ON COMMIT DROP AS
    SELECT e.org, e.seq, coalesce(c.class, 'changes') AS class,
      max(extract(year FROM occurred_at AT TIME ZONE 'UTC')::int * 12 + extract(month FROM occurred_at AT TIME ZONE 'UTC')::int - 1) OVER (PARTITION BY e.org ORDER BY e.seq) AS month
    FROM entry_before e LEFT JOIN (VALUES ${classes}) AS c(action, class) ON c.action = e.action`);
  await runner.query('CREATE UNIQUE INDEX ON moving (org, seq)');
  await runner.query('ANALYZE moving');
  await runner.query('SELECT make_partitions(month) FROM (SELECT DISTINCT month FROM moving) m');
  await runner.query(`INSERT INTO place (org, seq, id, class, month, from_provisional, leaf_hash)
    SELECT org, seq, id, class, month, from_provisional, sha256('\\x00'::bytea || leaf) FROM entry_before JOIN moving USING (org, seq)`);
  await runner.query(`INSERT INTO entry (org, seq, class, month, occurred_at, action, actor_id, outcome, leaf)
    SELECT org, seq, class, month, occurred_at, action, actor_id, outcome, leaf FROM entry_before JOIN moving USING (org, seq)`);
  await runner.query(
    'INSERT INTO entry_target (org, target, seq, class, month) SELECT org, target, seq, class, month FROM entry_target_before JOIN moving USING (org, seq)',
  );
}

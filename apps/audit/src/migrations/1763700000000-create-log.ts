import type { MigrationInterface, QueryRunner } from 'typeorm';
import { databaseRole, retentionNames } from '@holdfast/contracts';
import { dropPartitionsUncounted, makePartitions, partitionsView } from './partition-functions.js';

const role = databaseRole('audit');
const partitionedTables = ['entry', 'entry_target'];

export class CreateLog1763700000000 implements MigrationInterface {
  name = 'CreateLog1763700000000';

  async up(runner: QueryRunner): Promise<void> {
    const functions = [makePartitions, partitionsView, dropPartitionsUncounted];
    for (const sql of [...log, ...partitioned, ...privacy, ...pending, ...appendOnly, ...functions, ...functionRights])
      await runner.query(sql);
    const [{ month }] = (await runner.query(
      'SELECT extract(year FROM now())::int * 12 + extract(month FROM now())::int - 1 AS month',
    )) as [{ month: number }];
    for (let ahead = 0; ahead < 3; ahead += 1) await runner.query('SELECT make_partitions($1)', [month + ahead]);
  }

  async down(): Promise<void> {
    throw new Error('The audit log is never dropped.');
  }
}

const log = [
  // The end of each log. Each append locks this row until its batch has committed. range: hashes of the perfect
  // subtrees. latest: the latest time of all entries. late_ms: by how much at most an entry is older than one before
  // it.
  `CREATE TABLE head (
     org text PRIMARY KEY,
     seq bigint NOT NULL,
     range bytea NOT NULL DEFAULT '',
     month int NOT NULL DEFAULT 0,
     latest timestamptz(3) NOT NULL DEFAULT 'epoch',
     late_ms bigint NOT NULL DEFAULT 0)`,
  // One row for each seq that was ever assigned. It stays when its entry is dropped, since the tree needs its hash.
  `CREATE TABLE leaf (
     org text NOT NULL,
     seq bigint NOT NULL,
     id uuid NOT NULL,
     class text NOT NULL,
     month int NOT NULL,
     from_provisional boolean NOT NULL,
     leaf_hash bytea NOT NULL,
     PRIMARY KEY (org, seq),
     CONSTRAINT leaf_id UNIQUE (org, id))`,
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
  // The last checkpoint of each log.
  `CREATE TABLE checkpoint (
     org text PRIMARY KEY,
     size bigint NOT NULL,
     note text NOT NULL)`,
];

/** By retention class, then by the month in which entries were appended, counted from year 0. */
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
     personal_data_key_id uuid,
     personal_data bytea,
     leaf bytea NOT NULL) PARTITION BY LIST (class)`,
  'CREATE INDEX entry_by_seq ON entry (org, seq)',
  'CREATE INDEX entry_by_action ON entry (org, action, seq)',
  'CREATE INDEX entry_by_actor ON entry (org, actor_id, seq)',
  'CREATE INDEX entry_by_outcome ON entry (org, outcome, seq)',
  `CREATE TABLE entry_target (
     org text NOT NULL,
     target text NOT NULL,
     seq bigint NOT NULL,
     class text NOT NULL,
     month int NOT NULL) PARTITION BY LIST (class)`,
  'CREATE UNIQUE INDEX entry_target_by_target ON entry_target (org, target, seq, class, month)',
  // For the export. A hash index, so that no plan reads it in order.
  'CREATE INDEX entry_target_by_seq ON entry_target USING hash (seq)',
  ...partitionedTables.flatMap((table) =>
    retentionNames.map(
      (name) =>
        `CREATE TABLE ${table}_${name} PARTITION OF ${table} FOR VALUES IN ('${name}') PARTITION BY LIST (month)`,
    ),
  ),
];

const privacy = [
  // The only table that resolves pseudonyms. Deleting rows is erasure. A pseudonym is the hash of salt and value, so
  // that a changed row is detected; without a salt it cannot be verified.
  `CREATE TABLE pseudonym_mapping (
     org text NOT NULL,
     value text NOT NULL,
     data_subject text NOT NULL,
     pseudonym text NOT NULL,
     salt bytea,
     PRIMARY KEY (org, value),
     CONSTRAINT pseudonym_mapping_pseudonym UNIQUE (org, pseudonym))`,
  'CREATE INDEX pseudonym_mapping_data_subject ON pseudonym_mapping (org, data_subject)',
  // Encrypted personal data keys. Deleting one makes the personal data of that customer unreadable.
  // encryption_key_id: the KEY_ENCRYPTION_KEY of the row. Without it no rotation could be reported as finished.
  `CREATE TABLE personal_data_key (
     org text NOT NULL,
     data_subject text NOT NULL,
     id uuid NOT NULL,
     key bytea NOT NULL,
     encryption_key_id bytea NOT NULL DEFAULT '',
     PRIMARY KEY (org, data_subject),
     CONSTRAINT personal_data_key_id UNIQUE (org, id))`,
  'CREATE INDEX personal_data_key_encrypted ON personal_data_key (encryption_key_id, id)',
  // Hashes of erased ids: a late record finds them here and creates no new mapping.
  `CREATE TABLE erased (
     key bytea PRIMARY KEY,
     at timestamptz(3) NOT NULL DEFAULT now())`,
  // Ids of the keys that replicas were started with, and the last time of such a start.
  'CREATE TABLE encryption_key (id bytea PRIMARY KEY, since timestamptz NOT NULL DEFAULT clock_timestamp())',
];

const pending = [
  // Records that cannot be appended yet, encrypted. provisional: the gateway does not know the result of the command.
  // quarantined: the log rejects the record, or it cannot be decrypted. attempts: failed ones in a row.
  `CREATE TABLE pending_record (
     org text NOT NULL,
     id uuid NOT NULL,
     record text NOT NULL,
     due_at timestamptz(3) NOT NULL,
     provisional boolean NOT NULL DEFAULT true,
     quarantined boolean NOT NULL DEFAULT false,
     encryption_key_id bytea NOT NULL DEFAULT '',
     attempts int NOT NULL DEFAULT 0,
     PRIMARY KEY (org, id))`,
  'CREATE INDEX pending_record_due ON pending_record (due_at)',
  'CREATE INDEX pending_record_quarantined ON pending_record (org, due_at) WHERE quarantined',
  'CREATE INDEX pending_record_encrypted ON pending_record (encryption_key_id, id)',
  // How many denied requests of one kind each process (source) has counted in a minute.
  `CREATE TABLE denied_request_count (
     org text NOT NULL,
     id uuid NOT NULL,
     source uuid NOT NULL,
     count int NOT NULL,
     record text NOT NULL,
     due_at timestamptz(3) NOT NULL,
     attempts int NOT NULL DEFAULT 0,
     PRIMARY KEY (org, id, source))`,
  'CREATE INDEX denied_request_count_due ON denied_request_count (due_at)',
];

const appendOnlyTrigger = (table: string): string =>
  `CREATE TRIGGER append_only BEFORE UPDATE OR DELETE OR TRUNCATE ON ${table}
     FOR EACH STATEMENT EXECUTE FUNCTION reject_change()`;

/** The service has no right to change or delete entries, and a trigger rejects it even for the owner. */
const appendOnly = [
  `CREATE FUNCTION reject_change() RETURNS trigger LANGUAGE plpgsql AS $$
   BEGIN RAISE EXCEPTION 'the audit log is append-only' USING ERRCODE = 'insufficient_privilege'; END $$`,
  // A statement that names a single partition meets the trigger of that partition (makePartitions).
  ...['leaf', 'subtree', ...partitionedTables].map(appendOnlyTrigger),
  ...[
    'leaf',
    'subtree',
    ...partitionedTables,
    ...partitionedTables.flatMap((table) => retentionNames.map((name) => `${table}_${name}`)),
  ].map((table) => `REVOKE UPDATE, DELETE ON ${table} FROM ${role}`),
];

const functionRights = [
  'REVOKE ALL ON FUNCTION make_partitions, drop_partitions FROM PUBLIC',
  `GRANT EXECUTE ON FUNCTION make_partitions TO ${role}`,
];

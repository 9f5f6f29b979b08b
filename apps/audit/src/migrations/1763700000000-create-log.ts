import type { MigrationInterface, QueryRunner } from 'typeorm';
import { databaseRole } from '@holdfast/contracts';

export class CreateLog1763700000000 implements MigrationInterface {
  name = 'CreateLog1763700000000';

  async up(runner: QueryRunner): Promise<void> {
    for (const sql of [...tables, ...onlyGrows]) await runner.query(sql);
  }

  async down(): Promise<void> {
    throw new Error('the audit log is never dropped');
  }
}

const tables = [
  // The last place given out in an organization's log; whoever appends holds this row until its batch has committed.
  `CREATE TABLE head (
     org text PRIMARY KEY,
     seq bigint NOT NULL)`,
  `CREATE TABLE entry (
     org text NOT NULL,
     seq bigint NOT NULL,
     id uuid NOT NULL,
     occurred_at timestamptz(3) NOT NULL,
     action text NOT NULL,
     actor_id text NOT NULL,
     outcome text NOT NULL,
     from_provisional boolean NOT NULL,
     leaf bytea NOT NULL,
     PRIMARY KEY (org, seq),
     CONSTRAINT entry_id UNIQUE (org, id))`,
  'CREATE INDEX entry_action ON entry (org, action, seq)',
  'CREATE INDEX entry_actor ON entry (org, actor_id, seq)',
  'CREATE INDEX entry_outcome ON entry (org, outcome, seq)',
  'CREATE INDEX entry_occurred ON entry (org, occurred_at, seq)',
  `CREATE TABLE entry_target (
     org text NOT NULL,
     target text NOT NULL,
     seq bigint NOT NULL,
     PRIMARY KEY (org, target, seq))`,
  // The one row per id that says whom a pseudonym means. Deleting it is erasure.
  `CREATE TABLE pseudonym (
     org text NOT NULL,
     value text NOT NULL,
     data_subject text NOT NULL,
     pseudonym text NOT NULL,
     PRIMARY KEY (org, value),
     CONSTRAINT pseudonym_once UNIQUE (org, pseudonym))`,
  'CREATE INDEX pseudonym_data_subject ON pseudonym (org, data_subject)',
  // Hashes of ids that were erased: a late record finds them here and makes no new mapping.
  `CREATE TABLE erased (
     key bytea PRIMARY KEY,
     at timestamptz(3) NOT NULL DEFAULT now())`,
  `CREATE TABLE provisional (
     org text NOT NULL,
     id uuid NOT NULL,
     record text NOT NULL,
     due_at timestamptz(3) NOT NULL,
     PRIMARY KEY (org, id))`,
  'CREATE INDEX provisional_due ON provisional (due_at)',
];

/** No right to change or delete, and a trigger that refuses it even to the owner. */
const onlyGrows = [
  `CREATE FUNCTION refuse_change() RETURNS trigger LANGUAGE plpgsql AS $$
   BEGIN RAISE EXCEPTION 'the audit log only grows' USING ERRCODE = 'insufficient_privilege'; END $$`,
  ...['entry', 'entry_target'].flatMap((table) => [
    `REVOKE UPDATE, DELETE ON ${table} FROM ${databaseRole('audit')}`,
    `CREATE TRIGGER only_grows BEFORE UPDATE OR DELETE OR TRUNCATE ON ${table} FOR EACH STATEMENT EXECUTE FUNCTION refuse_change()`,
  ]),
];

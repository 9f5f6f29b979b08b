import type { MigrationInterface, QueryRunner } from 'typeorm';

export class CreateFeed1764000000000 implements MigrationInterface {
  name = 'CreateFeed1764000000000';

  async up(runner: QueryRunner): Promise<void> {
    for (const sql of tables) await runner.query(sql);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('DROP TABLE early_event, aggregate, event, head');
  }
}

const tables = [
  // seq: of the last event in an organization's feed. removed: the last one that the retention has deleted. Appending
  // and deleting lock this row until they commit, so that no reader's cursor skips an event that commits late.
  `CREATE TABLE head (
     org text PRIMARY KEY,
     seq bigint NOT NULL,
     removed bigint NOT NULL DEFAULT 0)`,
  `CREATE TABLE event (
     org text NOT NULL,
     seq bigint NOT NULL,
     id uuid NOT NULL,
     type text NOT NULL,
     occurred_at timestamptz(3) NOT NULL,
     version integer NOT NULL,
     key bytea NOT NULL,
     data json NOT NULL,
     appended_at timestamptz(3) NOT NULL,
     PRIMARY KEY (org, seq),
     CONSTRAINT event_id UNIQUE (id))`,
  'CREATE INDEX event_type ON event (org, type, seq)',
  'CREATE INDEX event_key ON event (key)',
  'CREATE INDEX event_age ON event (appended_at)',
  // `key` is a hash, so that the row of an erased customer can stay: a late event finds it and restores nothing.
  `CREATE TABLE aggregate (
     key bytea PRIMARY KEY,
     version integer NOT NULL,
     erased_at timestamptz(3))`,
  // Events that wait for a predecessor.
  `CREATE TABLE early_event (
     id uuid PRIMARY KEY,
     org text NOT NULL,
     key bytea NOT NULL,
     type text NOT NULL,
     occurred_at timestamptz(3) NOT NULL,
     version integer NOT NULL,
     data json,
     received_at timestamptz(3) NOT NULL)`,
  'CREATE INDEX early_event_key ON early_event (key)',
  'CREATE INDEX early_event_received ON early_event (received_at)',
];

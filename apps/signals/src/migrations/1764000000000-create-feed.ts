import type { MigrationInterface, QueryRunner } from 'typeorm';

export class CreateFeed1764000000000 implements MigrationInterface {
  name = 'CreateFeed1764000000000';

  async up(runner: QueryRunner): Promise<void> {
    for (const sql of tables) await runner.query(sql);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('DROP TABLE waiting, aggregate, event, head');
  }
}

const tables = [
  // The last place given out in an organization's feed, and up to which its events were removed for their age. Whoever
  // adds or removes holds this row until the commit, so that a reader's place never skips what commits late.
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
     placed_at timestamptz(3) NOT NULL,
     PRIMARY KEY (org, seq),
     CONSTRAINT event_id UNIQUE (id))`,
  'CREATE INDEX event_type ON event (org, type, seq)',
  'CREATE INDEX event_key ON event (key)',
  'CREATE INDEX event_age ON event (placed_at)',
  // `key` is a hash, so that the row of an erased customer can stay: a late event finds it and brings nobody back.
  `CREATE TABLE aggregate (
     key bytea PRIMARY KEY,
     version integer NOT NULL,
     erased_at timestamptz(3))`,
  `CREATE TABLE waiting (
     id uuid PRIMARY KEY,
     org text NOT NULL,
     key bytea NOT NULL,
     type text NOT NULL,
     occurred_at timestamptz(3) NOT NULL,
     version integer NOT NULL,
     data json,
     since timestamptz(3) NOT NULL)`,
  'CREATE INDEX waiting_key ON waiting (key)',
  'CREATE INDEX waiting_since ON waiting (since)',
];

import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Who reads the stream of entries, and up to where each log is in it (docs/adr/0066-stream-of-entries.md). */
export class EntryStream1765400000000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    for (const sql of tables) await runner.query(sql);
  }

  async down(runner: QueryRunner): Promise<void> {
    for (const table of ['audit_reader', 'published_log', 'publisher_lease']) await runner.query(`DROP TABLE ${table}`);
  }
}

const tables = [
  // org: `*` for all. Its consumer begins at start_seq of the stream that was created at `stream`, and at the oldest
  // message of any other stream.
  `CREATE TABLE audit_reader (
     id text PRIMARY KEY,
     org text NOT NULL,
     public_key text NOT NULL,
     created_at timestamptz(3) NOT NULL,
     stream text NOT NULL,
     start_seq bigint NOT NULL)`,
  'CREATE INDEX audit_reader_org ON audit_reader (org)',
  // The stream that was created at `stream` has the entries after begin_seq up to `seq`, unless it has discarded them.
  // Its last message was number stream_seq when this was stored.
  `CREATE TABLE published_log (
     org text PRIMARY KEY,
     begin_seq bigint NOT NULL,
     seq bigint NOT NULL,
     stream text NOT NULL,
     stream_seq bigint NOT NULL)`,
  // The replica that publishes. Two at once would only reject each other's messages.
  `CREATE TABLE publisher_lease (
     one boolean PRIMARY KEY DEFAULT true CHECK (one),
     holder text NOT NULL DEFAULT '',
     until timestamptz(3) NOT NULL DEFAULT '-infinity')`,
  'INSERT INTO publisher_lease DEFAULT VALUES',
];

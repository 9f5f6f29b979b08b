import type { MigrationInterface, QueryRunner } from 'typeorm';
import { idempotencyTables, outboxTables, quarantineTables } from '@holdfast/outbox';

/** Exports as jobs, their files, and what a service that emits events needs. */
export class Exports1765200000000 implements MigrationInterface {
  name = 'Exports1765200000000';

  async up(runner: QueryRunner): Promise<void> {
    for (const sql of [...tables, ...outboxTables, ...quarantineTables, ...idempotencyTables, ...additions])
      await runner.query(sql);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('DROP TABLE export_chunk, export, idempotency, quarantined_event, outbox');
  }
}

const additions = ['ALTER TABLE outbox ADD COLUMN shard text', 'ALTER TABLE idempotency ADD COLUMN org text'];

const tables = [
  // size, checkpoint: of the log when the export began. place: up to this seq the log is in the file. fence: which
  // worker may write; each claim and each restart increments it. failures: runs in a row that wrote nothing.
  // restarts: because of erasures. announced: whether its last state has an event.
  // stored_bytes: of the chunks, which are compressed and encrypted with the key. The row stays without its file, since
  // copies of the file may exist elsewhere, and an erasure lists them.
  `CREATE TABLE export (
     id uuid PRIMARY KEY,
     org text NOT NULL,
     state text NOT NULL,
     reason text,
     format text NOT NULL,
     proof boolean NOT NULL,
     filter text NOT NULL,
     requester_type text NOT NULL,
     requester_id text,
     created_at timestamptz(3) NOT NULL,
     finished_at timestamptz(3),
     expires_at timestamptz(3),
     size bigint,
     checkpoint text,
     place bigint NOT NULL DEFAULT 0,
     entries bigint NOT NULL DEFAULT 0,
     bytes bigint NOT NULL DEFAULT 0,
     stored_bytes bigint NOT NULL DEFAULT 0,
     sha256 text,
     fence int NOT NULL DEFAULT 0,
     failures int NOT NULL DEFAULT 0,
     restarts int NOT NULL DEFAULT 0,
     leased_until timestamptz(3) NOT NULL DEFAULT 'epoch',
     version int NOT NULL DEFAULT 1,
     announced boolean NOT NULL DEFAULT true,
     downloads int NOT NULL DEFAULT 0,
     downloaded_at timestamptz(3),
     key bytea NOT NULL,
     encryption_key_id bytea NOT NULL)`,
  'CREATE INDEX export_by_org ON export (org, created_at, id)',
  "CREATE INDEX export_due ON export (leased_until) WHERE state IN ('queued', 'running')",
  "CREATE INDEX export_expires ON export (expires_at) WHERE state = 'ready'",
  'CREATE INDEX export_unannounced ON export (id) WHERE NOT announced',
  'CREATE INDEX export_encrypted ON export (encryption_key_id, id, org)',
  // A part of a file, at most 256 KiB of it. start: its first byte.
  `CREATE TABLE export_chunk (
     export uuid NOT NULL REFERENCES export ON DELETE CASCADE,
     start bigint NOT NULL,
     length int NOT NULL,
     data bytea NOT NULL,
     PRIMARY KEY (export, start))`,
];

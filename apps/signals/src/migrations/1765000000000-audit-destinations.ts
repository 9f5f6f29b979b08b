import type { MigrationInterface, QueryRunner } from 'typeorm';
import { recordOutboxTables } from '@holdfast/audit-client';
import { idempotencyTables } from '@holdfast/outbox';

export class AuditDestinations1765000000000 implements MigrationInterface {
  name = 'AuditDestinations1765000000000';

  async up(runner: QueryRunner): Promise<void> {
    for (const sql of tables) await runner.query(sql);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('DROP TABLE audit_delivery, audit_destination, idempotency, record_outbox');
  }
}

const tables = [
  // `org` is `*` for the operator's destinations of all organizations. `credentials` is encrypted JSON with
  // KEY_ENCRYPTION_KEY. `version` counts changes: a sender that began with an earlier one stops. `failures` counts
  // failed attempts since the last success; nothing is sent before `retry_at`. `slot` limits how many an organization
  // has, however many are created at once.
  `CREATE TABLE audit_destination (
     id uuid PRIMARY KEY,
     org text NOT NULL,
     slot smallint NOT NULL,
     kind text NOT NULL,
     format text NOT NULL,
     description text,
     settings json NOT NULL,
     credentials bytea,
     version integer NOT NULL DEFAULT 1,
     paused boolean NOT NULL DEFAULT false,
     suspended boolean NOT NULL DEFAULT false,
     suspended_version integer NOT NULL DEFAULT 0,
     created_at timestamptz(3) NOT NULL,
     attempted_at timestamptz(3) NOT NULL DEFAULT clock_timestamp(),
     failures integer NOT NULL DEFAULT 0,
     retry_at timestamptz(3),
     last_error text,
     last_error_at timestamptz(3),
     last_success_at timestamptz(3),
     last_rejection text,
     sent bigint NOT NULL DEFAULT 0,
     rejected bigint NOT NULL DEFAULT 0,
     UNIQUE (org, slot))`,
  // The place of a destination in the log of one organization: the receiver has confirmed it up to `after_seq`, and it
  // has entries up to `end_seq`. `lease` counts the senders that have claimed the row, and fences the earlier ones.
  // Without a foreign key: when an organization moves to another shard, its rows meet the destination of the same id
  // there.
  `CREATE TABLE audit_delivery (
     destination uuid NOT NULL,
     org text NOT NULL,
     after_seq bigint NOT NULL,
     end_seq bigint NOT NULL,
     behind_since timestamptz(3),
     due_at timestamptz(3) NOT NULL DEFAULT clock_timestamp(),
     lease integer NOT NULL DEFAULT 0,
     leased_until timestamptz(3),
     PRIMARY KEY (destination, org))`,
  'CREATE INDEX audit_delivery_org ON audit_delivery (org)',
  'CREATE INDEX audit_delivery_due ON audit_delivery (destination, due_at) WHERE end_seq > after_seq',
  ...idempotencyTables,
  'ALTER TABLE idempotency ADD COLUMN org text',
  ...recordOutboxTables,
];

import type { MigrationInterface, QueryRunner } from 'typeorm';
import { outboxTables } from '@holdfast/outbox';

export class First1763700000000 implements MigrationInterface {
  name = 'First1763700000000';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      CREATE TABLE credential_type (
        org text NOT NULL,
        name text NOT NULL,
        display text NOT NULL,
        validity text,
        renewal_window text,
        revocable boolean NOT NULL,
        holders text[] NOT NULL,
        is_default boolean NOT NULL DEFAULT false,
        created_at timestamptz(3) NOT NULL DEFAULT now(),
        PRIMARY KEY (org, name)
      )`);
    await runner.query('CREATE UNIQUE INDEX credential_type_default ON credential_type (org) WHERE is_default');
    await runner.query(`
      CREATE TABLE subject (
        id uuid PRIMARY KEY,
        org text NOT NULL,
        app text NOT NULL,
        version integer NOT NULL,
        created_at timestamptz(3) NOT NULL
      )`);
    await runner.query(`
      CREATE TABLE credential (
        id uuid PRIMARY KEY,
        subject uuid NOT NULL REFERENCES subject ON DELETE CASCADE,
        org text NOT NULL,
        type text NOT NULL,
        status text NOT NULL CHECK (status IN ('offered', 'issued', 'suspended', 'revoked')),
        revocable boolean NOT NULL,
        created_at timestamptz(3) NOT NULL,
        valid_until timestamptz(3),
        issued_at timestamptz(3),
        expires_at timestamptz(3),
        revoked_at timestamptz(3),
        revoked_reason text,
        holder_claimed_at timestamptz(3),
        holder_app text
      )`);
    // One credential of a type per customer: a further offer of the type leads to the same one. Also finds them by
    // subject.
    await runner.query(
      `CREATE UNIQUE INDEX credential_of_type ON credential (subject, type) WHERE status <> 'revoked'`,
    );
    await runner.query('CREATE INDEX credential_subject ON credential (subject)');
    await runner.query(`
      CREATE TABLE offer (
        id uuid PRIMARY KEY,
        credential uuid NOT NULL REFERENCES credential ON DELETE CASCADE,
        subject uuid NOT NULL,
        org text NOT NULL,
        app text NOT NULL,
        token_hash bytea NOT NULL UNIQUE,
        status text NOT NULL CHECK (status IN ('open', 'claimed', 'withdrawn', 'superseded')),
        expires_at timestamptz(3) NOT NULL,
        return_url text,
        created_at timestamptz(3) NOT NULL
      )`);
    await runner.query(`CREATE UNIQUE INDEX offer_open ON offer (credential) WHERE status = 'open'`);
    await runner.query('CREATE INDEX offer_credential ON offer (credential)');
    await runner.query('CREATE INDEX offer_subject ON offer (subject)');
    await runner.query(`
      CREATE TABLE idempotency (
        app text NOT NULL,
        key_hash bytea NOT NULL,
        fingerprint bytea,
        answer bytea,
        subject uuid,
        event uuid NOT NULL,
        version integer NOT NULL,
        created_at timestamptz(3) NOT NULL DEFAULT now(),
        PRIMARY KEY (app, key_hash)
      )`);
    await runner.query('CREATE INDEX idempotency_subject ON idempotency (subject) WHERE subject IS NOT NULL');
    await runner.query('CREATE INDEX idempotency_age ON idempotency (created_at)');
    // Hashes of erased customers: replayed after a restore from a backup, so that nobody comes back.
    await runner.query('CREATE TABLE erased (hash bytea PRIMARY KEY, at timestamptz(3) NOT NULL DEFAULT now())');
    for (const table of outboxTables) await runner.query(table);
  }

  async down(runner: QueryRunner): Promise<void> {
    for (const table of ['erased', 'idempotency', 'offer', 'credential', 'subject', 'credential_type', 'outbox'])
      await runner.query(`DROP TABLE ${table}`);
  }
}

import type { MigrationInterface, QueryRunner } from 'typeorm';
import { recordOutboxTables } from '@holdfast/audit-client';

/**
 * Several passkeys of a customer: how many the type of a credential allows, offers and links that add one, and the name
 * that the customer gave to a passkey. A passkey without a name has that of its provider.
 */
export class SeveralPasskeys1768300000000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(
      `ALTER TABLE credential_type ADD COLUMN max_passkeys integer NOT NULL DEFAULT 10
         CHECK (max_passkeys BETWEEN 1 AND 10)`,
    );
    await runner.query('ALTER TABLE offer ADD COLUMN adds boolean NOT NULL DEFAULT false');
    await runner.query('ALTER TABLE passkey ADD COLUMN name text');
    // A link by which another device makes a passkey: one for each customer. `passkey` is what that device has made,
    // and counts once the page that made the link has confirmed it. `made_with` is the passkey of that page.
    await runner.query(
      `CREATE TABLE passkey_link (
         subject uuid PRIMARY KEY REFERENCES subject ON DELETE CASCADE,
         org text NOT NULL,
         token_hash bytea NOT NULL UNIQUE,
         made_with text NOT NULL,
         expires_at timestamptz(3) NOT NULL,
         passkey jsonb,
         code text,
         confirmed boolean NOT NULL DEFAULT false)`,
    );
    await runner.query('CREATE INDEX passkey_link_expires ON passkey_link (expires_at)');
    // The name of a passkey is in no event: others need it for nothing. Its change has a record all the same.
    for (const sql of recordOutboxTables) await runner.query(sql);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('DROP TABLE record_outbox');
    await runner.query('DROP TABLE passkey_link');
    await runner.query('ALTER TABLE passkey DROP COLUMN name');
    await runner.query('ALTER TABLE offer DROP COLUMN adds');
    await runner.query('ALTER TABLE credential_type DROP COLUMN max_passkeys');
  }
}

import type { MigrationInterface, QueryRunner } from 'typeorm';
import { challengeTable } from '@holdfast/passkeys';

export class Claims1763800000000 implements MigrationInterface {
  name = 'Claims1763800000000';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query('ALTER TABLE credential ADD COLUMN document_number text');
    // The WebAuthn user handle: random, since all organizations of one host share an RP ID and an authenticator keeps
    // one passkey per RP ID and handle.
    await runner.query(`
      CREATE TABLE holder (
        subject uuid PRIMARY KEY REFERENCES subject ON DELETE CASCADE,
        org text NOT NULL,
        handle bytea NOT NULL UNIQUE CHECK (octet_length(handle) = 32)
      )`);
    await runner.query(`
      CREATE TABLE passkey (
        credential_id text PRIMARY KEY,
        subject uuid NOT NULL REFERENCES holder ON DELETE CASCADE,
        org text NOT NULL,
        public_key bytea NOT NULL,
        counter bigint NOT NULL,
        transports text[] NOT NULL,
        aaguid uuid NOT NULL,
        device_type text NOT NULL CHECK (device_type IN ('singleDevice', 'multiDevice')),
        backed_up boolean NOT NULL,
        rp_id text NOT NULL,
        created_at timestamptz(3) NOT NULL,
        last_used_at timestamptz(3)
      )`);
    await runner.query('CREATE INDEX passkey_subject ON passkey (subject)');
    for (const part of challengeTable('subject')) await runner.query(part);
  }

  async down(runner: QueryRunner): Promise<void> {
    for (const table of ['challenge', 'passkey', 'holder']) await runner.query(`DROP TABLE ${table}`);
    await runner.query('ALTER TABLE credential DROP COLUMN document_number');
  }
}

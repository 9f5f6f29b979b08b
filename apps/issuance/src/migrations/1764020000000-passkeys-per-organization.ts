import type { MigrationInterface, QueryRunner } from 'typeorm';

/**
 * A credential id is unique in its organization alone: otherwise a claim would tell whether another organization knows
 * it.
 */
export class PasskeysPerOrganization1764020000000 implements MigrationInterface {
  name = 'PasskeysPerOrganization1764020000000';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query('ALTER TABLE passkey DROP CONSTRAINT passkey_pkey, ADD PRIMARY KEY (credential_id, org)');
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('ALTER TABLE passkey DROP CONSTRAINT passkey_pkey, ADD PRIMARY KEY (credential_id)');
  }
}

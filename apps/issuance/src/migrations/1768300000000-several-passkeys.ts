import type { MigrationInterface, QueryRunner } from 'typeorm';

/**
 * Several passkeys of a customer: how many the type of a credential allows, offers that add one, and the name that the
 * customer gave to a passkey. A passkey without a name has that of its provider.
 */
export class SeveralPasskeys1768300000000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(
      `ALTER TABLE credential_type ADD COLUMN max_passkeys integer NOT NULL DEFAULT 10
         CHECK (max_passkeys BETWEEN 1 AND 10)`,
    );
    await runner.query('ALTER TABLE offer ADD COLUMN adds boolean NOT NULL DEFAULT false');
    await runner.query('ALTER TABLE passkey ADD COLUMN name text');
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('ALTER TABLE passkey DROP COLUMN name');
    await runner.query('ALTER TABLE offer DROP COLUMN adds');
    await runner.query('ALTER TABLE credential_type DROP COLUMN max_passkeys');
  }
}

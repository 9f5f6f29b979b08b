import type { MigrationInterface, QueryRunner } from 'typeorm';

/**
 * The user handle of the passkey that will replace those of a customer. With the handle of the earlier passkey an
 * authenticator would delete that one when it creates the new one, before the claim has succeeded.
 */
export class NextUserHandles1768200000000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(
      `ALTER TABLE webauthn_user ADD COLUMN next_handle bytea UNIQUE CHECK (octet_length(next_handle) = 32)`,
    );
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('ALTER TABLE webauthn_user DROP COLUMN next_handle');
  }
}

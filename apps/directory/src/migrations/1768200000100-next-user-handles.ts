import type { MigrationInterface, QueryRunner } from 'typeorm';

/**
 * The user handle of the passkey that will replace those of a person. With the handle of the earlier passkey an
 * authenticator would delete that one when it creates the new one, before the recovery has succeeded.
 */
export class NextUserHandles1768200000100 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(
      `ALTER TABLE person ADD COLUMN next_user_handle bytea UNIQUE CHECK (octet_length(next_user_handle) = 32)`,
    );
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('ALTER TABLE person DROP COLUMN next_user_handle');
  }
}

import type { MigrationInterface, QueryRunner } from 'typeorm';

/**
 * The passkey of the sign-in from which state of a customer results. Removing it ends that state. Null for sign-ins of
 * people, and for those of an earlier version, which end with any removal.
 */
export class PasskeysOfSignIns1768300000000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query('ALTER TABLE oidc_state ADD COLUMN passkey text');
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('ALTER TABLE oidc_state DROP COLUMN passkey');
  }
}

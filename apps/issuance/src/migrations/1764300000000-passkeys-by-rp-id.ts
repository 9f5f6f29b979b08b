import type { MigrationInterface, QueryRunner } from 'typeorm';

/**
 * So that counting an organization's passkeys reads its own alone. A sign-in changes neither column: it touches no
 * index.
 */
export class PasskeysByRpId1764300000000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query('CREATE INDEX passkey_rp_id ON passkey (org, rp_id)');
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('DROP INDEX passkey_rp_id');
  }
}

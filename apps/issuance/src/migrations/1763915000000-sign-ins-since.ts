import type { MigrationInterface, QueryRunner } from 'typeorm';

/**
 * From which version of the customer on their sign-ins count: since the key that they hold now, and since a credential
 * was last suspended or revoked. Versions are exact where clocks are not: a recovery in the second of a sign-in ends
 * that sign-in.
 */
export class SignInsSince1763915000000 implements MigrationInterface {
  name = 'SignInsSince1763915000000';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query('ALTER TABLE holder ADD COLUMN keyed_version integer NOT NULL DEFAULT 0');
    await runner.query('ALTER TABLE credential ADD COLUMN ended_version integer NOT NULL DEFAULT 0');
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('ALTER TABLE holder DROP COLUMN keyed_version');
    await runner.query('ALTER TABLE credential DROP COLUMN ended_version');
  }
}

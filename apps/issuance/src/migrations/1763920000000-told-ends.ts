import type { MigrationInterface, QueryRunner } from 'typeorm';

export class ToldEnds1763920000000 implements MigrationInterface {
  name = 'ToldEnds1763920000000';

  /** Which ends everybody has been told of: of a credential the end itself, since a renewal gives it another one. */
  async up(runner: QueryRunner): Promise<void> {
    await runner.query('ALTER TABLE credential ADD COLUMN end_told timestamptz(3)');
    await runner.query('ALTER TABLE offer ADD COLUMN end_told boolean NOT NULL DEFAULT false');
    // As large as what has an end and has not been told: each search for what is due touches just that.
    await runner.query(
      `CREATE INDEX credential_ending ON credential (expires_at)
       WHERE expires_at IS NOT NULL AND status IN ('issued', 'suspended') AND end_told IS DISTINCT FROM expires_at`,
    );
    await runner.query(`CREATE INDEX offer_ending ON offer (expires_at) WHERE status = 'open' AND NOT end_told`);
  }

  async down(runner: QueryRunner): Promise<void> {
    for (const table of ['credential', 'offer']) await runner.query(`ALTER TABLE ${table} DROP COLUMN end_told`);
  }
}

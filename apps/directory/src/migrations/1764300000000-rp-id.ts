import type { MigrationInterface, QueryRunner } from 'typeorm';

/**
 * No RP ID is the deployment's own. While customers move, `earlier_rp_id` is the one before, and may be none as well.
 */
export class RpId1764300000000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      ALTER TABLE organization ADD COLUMN rp_id text, ADD COLUMN moving boolean NOT NULL DEFAULT false, ADD COLUMN earlier_rp_id text,
        ADD CONSTRAINT organization_earlier CHECK (moving OR earlier_rp_id IS NULL)`);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('ALTER TABLE organization DROP COLUMN rp_id, DROP COLUMN moving, DROP COLUMN earlier_rp_id');
  }
}

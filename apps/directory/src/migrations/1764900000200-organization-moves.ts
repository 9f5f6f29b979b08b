import type { MigrationInterface, QueryRunner } from 'typeorm';

/** The move of an organization to another shard that is in progress; null: none (organization-moves.ts). */
export class OrganizationMoves1764900000200 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(
      `ALTER TABLE organization ADD COLUMN move_id uuid, ADD COLUMN move_to text,
         ADD CONSTRAINT organization_move CHECK ((move_id IS NULL) = (move_to IS NULL))`,
    );
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('ALTER TABLE organization DROP COLUMN move_id, DROP COLUMN move_to');
  }
}

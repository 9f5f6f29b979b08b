import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Entitlements list assignments newest first, of the organization or of a group, and find the hub. */
const statements = [
  'CREATE INDEX assignment_created ON assignment (org, created_at DESC, id DESC)',
  `CREATE INDEX assignment_group_created ON assignment (org, group_id, created_at DESC, id DESC)
     WHERE group_id IS NOT NULL`,
  'CREATE INDEX app_built_in ON app (org) WHERE built_in',
];

export class Entitlements1764500000000 implements MigrationInterface {
  name = 'Entitlements1764500000000';

  async up(runner: QueryRunner): Promise<void> {
    for (const sql of statements) await runner.query(sql);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('DROP INDEX app_built_in, assignment_group_created, assignment_created');
  }
}

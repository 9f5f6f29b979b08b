import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Entitlements list assignments newest first, of the organization or of a group, and find the hub. */
const indexes = [
  'CREATE INDEX assignment_created ON assignment (org, created_at DESC, id DESC)',
  `CREATE INDEX assignment_group_created ON assignment (org, group_id, created_at DESC, id DESC)
     WHERE group_id IS NOT NULL`,
  'CREATE INDEX app_built_in ON app (org) WHERE built_in',
];

/** Who decided a request: a person in a column of its own, which their removal empties. */
const deciders = [
  `ALTER TABLE access_request ADD COLUMN decided_by_person uuid,
     ADD CONSTRAINT access_request_decider FOREIGN KEY (org, decided_by_person) REFERENCES person (org, id)
       ON DELETE SET NULL (decided_by_person)`,
  `CREATE INDEX access_request_decider ON access_request (org, decided_by_person)
     WHERE decided_by_person IS NOT NULL`,
];

export class Entitlements1764500000000 implements MigrationInterface {
  name = 'Entitlements1764500000000';

  async up(runner: QueryRunner): Promise<void> {
    for (const sql of [...indexes, ...deciders]) await runner.query(sql);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('ALTER TABLE access_request DROP COLUMN decided_by_person');
    await runner.query('DROP INDEX app_built_in, assignment_group_created, assignment_created');
  }
}

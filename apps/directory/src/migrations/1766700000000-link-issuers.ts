import type { MigrationInterface, QueryRunner } from 'typeorm';

/**
 * Who issued an invitation or recovery link, and the roles that its person had then (ADR 0074). Both decide whether it
 * can be accepted. A link from before has neither and cannot be accepted: who issued it is not known. An issuer who is
 * removed leaves no id behind.
 */
const statements = [
  `ALTER TABLE invitation ADD COLUMN issued_by_type text CHECK (issued_by_type IN ('person', 'operator')),
     ADD COLUMN issued_by uuid REFERENCES person ON DELETE SET NULL,
     ADD COLUMN person_roles text[]`,
  'CREATE INDEX invitation_issuer ON invitation (issued_by) WHERE issued_by IS NOT NULL',
];

export class LinkIssuers1766700000000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    for (const sql of statements) await runner.query(sql);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(
      'ALTER TABLE invitation DROP COLUMN person_roles, DROP COLUMN issued_by, DROP COLUMN issued_by_type',
    );
  }
}

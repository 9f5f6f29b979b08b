import type { MigrationInterface, QueryRunner } from 'typeorm';

export class CreateSubject1763700000000 implements MigrationInterface {
  name = 'CreateSubject1763700000000';

  async up(runner: QueryRunner): Promise<void> {
    // `key` is a hash, so that the row of an erased customer can stay as a tombstone that identifies nobody: a late
    // event then finds a newer version under the same key and restores nothing.
    await runner.query(`
      CREATE TABLE subject (
        key bytea PRIMARY KEY,
        version integer NOT NULL,
        org text,
        app text,
        subject uuid,
        created_at timestamptz(3),
        claimed boolean,
        state json,
        erased_at timestamptz(3)
      )`);
    await runner.query(
      'CREATE INDEX subject_newest ON subject (org, app, created_at DESC, subject DESC) WHERE subject IS NOT NULL',
    );
    await runner.query(
      `CREATE INDEX subject_newest_claimed ON subject (org, app, claimed, created_at DESC, subject DESC)
        WHERE subject IS NOT NULL`,
    );
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('DROP TABLE subject');
  }
}

import type { MigrationInterface, QueryRunner } from 'typeorm';

/**
 * The app of grants, codes and tokens of people. When the assignment of a group ends, the index finds who is signed in
 * to the app. State of customers has none.
 */
export class PeopleApps1764310000000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query('ALTER TABLE oidc_state ADD COLUMN client_id text');
    await runner.query(
      `CREATE INDEX oidc_state_people ON oidc_state (org, client_id, account)
       WHERE model = 'Grant' AND client_id IS NOT NULL`,
    );
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('DROP INDEX oidc_state_people');
    await runner.query('ALTER TABLE oidc_state DROP COLUMN client_id');
  }
}

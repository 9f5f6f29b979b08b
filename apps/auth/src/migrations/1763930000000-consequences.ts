import type { MigrationInterface, QueryRunner } from 'typeorm';

/**
 * `oidc_state.version`: of the customer, at the sign-in that it came of; `credential`: which one that was. By them a
 * change of a customer or credential ends what came before it, however close by the clock. `since` is not read any
 * more.
 * `ended_customer` holds credentials as well, each with the version that ended what came before.
 * `logout_notice`: what apps have yet to be told (OpenID Connect Back-Channel Logout 1.0); whom it is about is sealed.
 */
export class Consequences1763930000000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query('ALTER TABLE oidc_state ADD COLUMN version integer, ADD COLUMN credential text');
    await runner.query('ALTER TABLE ended_customer ADD COLUMN version integer NOT NULL DEFAULT 0');
    await runner.query(`
      CREATE TABLE logout_notice (
        id uuid PRIMARY KEY,
        org text NOT NULL,
        client_id text NOT NULL,
        about bytea NOT NULL,
        attempts integer NOT NULL DEFAULT 0,
        due_at timestamptz(3) NOT NULL,
        ends_at timestamptz(3) NOT NULL)`);
    await runner.query('CREATE INDEX logout_notice_due ON logout_notice (client_id, due_at)');
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('DROP TABLE logout_notice');
    await runner.query('ALTER TABLE ended_customer DROP COLUMN version');
    await runner.query('ALTER TABLE oidc_state DROP COLUMN version, DROP COLUMN credential');
  }
}

import type { MigrationInterface, QueryRunner } from 'typeorm';

/**
 * `oidc_state`: sessions, sign-ins under way, grants, codes and tokens of the organizations' issuers. An id is often
 * itself the secret (a code, a token, a session's cookie): only its SHA-256 is kept, and the payload is sealed.
 * `account` is the customer, `since` when they signed in.
 * `ended_customer`: whose state may not come back, by customerKey(); kept longer than any token lives.
 */
export class Issuers1763800000000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      CREATE TABLE oidc_state (
        org text NOT NULL,
        model text NOT NULL,
        id bytea NOT NULL,
        uid bytea,
        grant_id bytea,
        account uuid,
        since timestamptz(3),
        payload bytea NOT NULL,
        consumed_at timestamptz(3),
        expires_at timestamptz(3) NOT NULL,
        PRIMARY KEY (org, model, id))`);
    await runner.query('CREATE INDEX oidc_state_uid ON oidc_state (org, model, uid) WHERE uid IS NOT NULL');
    await runner.query('CREATE INDEX oidc_state_grant ON oidc_state (org, grant_id) WHERE grant_id IS NOT NULL');
    await runner.query('CREATE INDEX oidc_state_account ON oidc_state (org, account) WHERE account IS NOT NULL');
    await runner.query('CREATE INDEX oidc_state_expires ON oidc_state (expires_at)');
    await runner.query(
      'CREATE TABLE ended_customer (key bytea PRIMARY KEY, at timestamptz(3) NOT NULL, erased boolean NOT NULL)',
    );
    await runner.query(
      `ALTER TABLE signing_key ADD COLUMN alg text NOT NULL DEFAULT 'EdDSA', ADD COLUMN changed_at timestamptz(3) NOT NULL DEFAULT now()`,
    );
    await runner.query('CREATE INDEX signing_key_changed ON signing_key (changed_at)');
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('ALTER TABLE signing_key DROP COLUMN alg, DROP COLUMN changed_at');
    await runner.query('DROP TABLE ended_customer, oidc_state');
  }
}

import type { MigrationInterface, QueryRunner } from 'typeorm';

/** How an app signs customers in. The defaults let an older directory, which knows none of this, go on writing apps. */
export class SignInOfApps1763800000000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      ALTER TABLE app
        ADD COLUMN post_logout_redirect_uris text[] NOT NULL DEFAULT '{}',
        ADD COLUMN refresh_tokens boolean NOT NULL DEFAULT true,
        ADD COLUMN pkce text NOT NULL DEFAULT 'required',
        ADD COLUMN id_token_alg text CHECK (id_token_alg IN ('RS256', 'ES256')),
        ADD CONSTRAINT app_pkce CHECK (pkce = 'required' OR (pkce = 'optional' AND kind = 'web'))`);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(
      'ALTER TABLE app DROP COLUMN post_logout_redirect_uris, DROP COLUMN refresh_tokens, DROP COLUMN pkce, DROP COLUMN id_token_alg',
    );
  }
}

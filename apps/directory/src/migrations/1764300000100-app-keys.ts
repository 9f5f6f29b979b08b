import type { MigrationInterface, QueryRunner } from 'typeorm';

const statements = [
  // A confidential app has client secrets or keys, never both. Keys are public ones: there is nothing to encrypt.
  `ALTER TABLE app
     ADD COLUMN token_endpoint_auth_method text NOT NULL DEFAULT 'client_secret_basic'
       CHECK (token_endpoint_auth_method IN ('client_secret_basic', 'private_key_jwt')),
     ADD COLUMN jwks jsonb,
     ADD COLUMN jwks_uri text,
     ADD COLUMN require_dpop boolean NOT NULL DEFAULT false,
     ADD COLUMN access_token_format text NOT NULL DEFAULT 'opaque' CHECK (access_token_format IN ('opaque', 'jwt')),
     ADD CONSTRAINT app_keys CHECK (
       num_nonnulls(jwks, jwks_uri) = CASE token_endpoint_auth_method WHEN 'private_key_jwt' THEN 1 ELSE 0 END),
     ADD CONSTRAINT app_keys_kind CHECK (
       token_endpoint_auth_method = 'client_secret_basic' OR kind IN ('web', 'service'))`,
  // Tokens that were requested with these keys are refused. A row is needed for as long as such a token lives.
  `CREATE TABLE app_removed_key (
     client_id text NOT NULL REFERENCES app ON DELETE CASCADE,
     id text NOT NULL,
     removed_at timestamptz(3) NOT NULL,
     PRIMARY KEY (client_id, id))`,
];

export class AppKeys1764300000100 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    for (const sql of statements) await runner.query(sql);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('DROP TABLE app_removed_key');
    await runner.query(
      `ALTER TABLE app DROP CONSTRAINT app_keys, DROP CONSTRAINT app_keys_kind, DROP COLUMN access_token_format,
         DROP COLUMN require_dpop, DROP COLUMN jwks_uri, DROP COLUMN jwks, DROP COLUMN token_endpoint_auth_method`,
    );
  }
}

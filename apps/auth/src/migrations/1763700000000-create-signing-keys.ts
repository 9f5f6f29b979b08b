import type { MigrationInterface, QueryRunner } from 'typeorm';

export class CreateSigningKeys1763700000000 implements MigrationInterface {
  /** `issuer`: whose key it is, `platform` or an organization. `private_jwk` is sealed with the key encryption key. */
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(`
      CREATE TABLE signing_key (
        kid text PRIMARY KEY,
        issuer text NOT NULL,
        private_jwk bytea NOT NULL,
        signs_from timestamptz(3) NOT NULL,
        retired_at timestamptz(3),
        created_at timestamptz(3) NOT NULL DEFAULT now())`);
    await runner.query('CREATE INDEX signing_key_issuer ON signing_key (issuer, signs_from)');
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('DROP TABLE signing_key');
  }
}

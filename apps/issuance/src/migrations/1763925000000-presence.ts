import type { MigrationInterface, QueryRunner } from 'typeorm';

export class Presence1763925000000 implements MigrationInterface {
  name = 'Presence1763925000000';

  async up(runner: QueryRunner): Promise<void> {
    // An organization without a row has the policy that product §5 gives it: optional, and no Turnstile.
    await runner.query(`
      CREATE TABLE presence_policy (
        org text PRIMARY KEY,
        policy text NOT NULL CHECK (policy IN ('optional', 'required')),
        turnstile_secret bytea,
        version integer NOT NULL
      )`);
    // Proofs that an offer was made with. The row commits with the offer or not at all, so a proof is good for exactly
    // one.
    await runner.query(`
      CREATE TABLE presence_use (
        org text NOT NULL,
        provider text NOT NULL,
        id text NOT NULL,
        expires_at timestamptz(3) NOT NULL,
        PRIMARY KEY (org, provider, id)
      )`);
    await runner.query('CREATE INDEX presence_use_end ON presence_use (expires_at)');
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('DROP TABLE presence_use');
    await runner.query('DROP TABLE presence_policy');
  }
}

import type { MigrationInterface, QueryRunner } from 'typeorm';

const weaker = (modes: string) => `ALTER TABLE app DROP CONSTRAINT app_pkce,
   ADD CONSTRAINT app_pkce CHECK (pkce = 'required' OR (pkce IN (${modes}) AND kind = 'web'))`;

export class PkceModes1765100000600 implements MigrationInterface {
  up(runner: QueryRunner): Promise<unknown> {
    return runner.query(weaker(`'optional', 'optional_without_nonce'`));
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(`UPDATE app SET pkce = 'optional' WHERE pkce = 'optional_without_nonce'`);
    await runner.query(weaker(`'optional'`));
  }
}

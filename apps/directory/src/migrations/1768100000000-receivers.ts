import type { MigrationInterface, QueryRunner } from 'typeorm';

const kinds = (names: string) => `ALTER TABLE app DROP CONSTRAINT app_kind_check,
   ADD CONSTRAINT app_kind_check CHECK (kind IN (${names}))`;
const methods = (names: string) => `ALTER TABLE app DROP CONSTRAINT app_keys_kind,
   ADD CONSTRAINT app_keys_kind CHECK (token_endpoint_auth_method = 'client_secret_basic' OR kind IN (${names}))`;

/** Apps of the kind `receiver`: receivers of Shared Signals. */
export class Receivers1768100000000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(kinds(`'web', 'spa', 'native', 'service', 'receiver'`));
    await runner.query(methods(`'web', 'service', 'receiver'`));
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(`DELETE FROM app_secret WHERE client_id IN (SELECT client_id FROM app WHERE kind = 'receiver')`);
    await runner.query(`DELETE FROM app WHERE kind = 'receiver'`);
    await runner.query(kinds(`'web', 'spa', 'native', 'service'`));
    await runner.query(methods(`'web', 'service'`));
  }
}

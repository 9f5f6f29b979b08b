import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Whether an app signs in on devices without a browser (RFC 8628). */
export class DeviceAuthorization1768600000000 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query('ALTER TABLE app ADD COLUMN device_authorization boolean NOT NULL DEFAULT false');
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('ALTER TABLE app DROP COLUMN device_authorization');
  }
}

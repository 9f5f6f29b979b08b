import type { MigrationInterface, QueryRunner } from 'typeorm';

/**
 * Which open offers end because their app has lost a right: those up to `made_until`, of existing customers only when
 * the app may still make first offers. The index finds the open offers of an app, and lists those of an organization.
 */
export class OfferMakers1767000000000 implements MigrationInterface {
  name = 'OfferMakers1767000000000';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query(
      `CREATE TABLE ended_offer_right (
         org text NOT NULL,
         app text NOT NULL,
         existing_customers_only boolean NOT NULL,
         made_until timestamptz(3) NOT NULL,
         PRIMARY KEY (org, app, existing_customers_only))`,
    );
    await runner.query(`CREATE INDEX offer_open_maker ON offer (org, app, id) WHERE status = 'open'`);
    await runner.query(`INSERT INTO named_lock (name) VALUES ('ended offer rights') ON CONFLICT DO NOTHING`);
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(`DELETE FROM named_lock WHERE name = 'ended offer rights'`);
    await runner.query('DROP INDEX offer_open_maker');
    await runner.query('DROP TABLE ended_offer_right');
  }
}

import type { MigrationInterface, QueryRunner } from 'typeorm';

/**
 * Who made an open offer, when it was a person and not the app of the customer. `ended_offer_right.app` has the id of
 * the person then: the name of the column stays, since earlier versions run beside this one during an upgrade.
 */
export class OffersByPeople1768500000000 implements MigrationInterface {
  name = 'OffersByPeople1768500000000';

  async up(runner: QueryRunner): Promise<void> {
    await runner.query('ALTER TABLE offer ADD COLUMN person uuid');
    await runner.query(
      `CREATE INDEX offer_open_person ON offer (org, person, id) WHERE status = 'open' AND person IS NOT NULL`,
    );
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('DROP INDEX offer_open_person');
    await runner.query('ALTER TABLE offer DROP COLUMN person');
  }
}

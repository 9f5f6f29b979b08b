import type { MigrationInterface, QueryRunner } from 'typeorm';

const rejectChange = (unless: string): string =>
  `CREATE OR REPLACE FUNCTION reject_change() RETURNS trigger LANGUAGE plpgsql AS $$
   BEGIN ${unless}
   RAISE EXCEPTION 'the audit log is append-only' USING ERRCODE = 'insufficient_privilege'; END $$`;

/**
 * Lets the owner delete the log of an organization that has moved to another shard, where it is complete
 * (`holdfast org move --delete-source`). The setting says that this is no mistake. The service has no right to delete.
 */
export class RemoveOrganization1764900000100 implements MigrationInterface {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query(
      rejectChange(`
     IF TG_OP = 'DELETE' AND current_setting('holdfast.removes_moved_organization', true) = 'on'
       AND pg_has_role(current_user, (SELECT relowner FROM pg_class WHERE oid = TG_RELID), 'USAGE')
     THEN RETURN NULL; END IF;`),
    );
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query(rejectChange(''));
  }
}

import type { MigrationInterface, QueryRunner } from 'typeorm';
import { databaseRole, type ServiceName } from '@holdfast/contracts';
import { statement } from './database.js';

/** SQLSTATE of a refused write. Class 23 (constraints): the rows of other organizations in a batch are not affected. */
const fencedState = '23HF1';

/**
 * Organizations that a service of a shard must not serve, because they move to or from it, have moved away, or were
 * deleted. Only `holdfast org move`, `org purge` and `org import`, as the owner, change the rows. They also create the
 * triggers that call the function: these hold for a process that was paused before as well. A process that is not
 * paused finds the organization here, and refuses before it begins (docs/adr/0053-organization-moves.md).
 */
export class OrganizationFences1764900100000 implements MigrationInterface {
  name = 'OrganizationFences1764900100000';

  async up(runner: QueryRunner): Promise<void> {
    const [{ schema }] = (await runner.query('SELECT current_schema() AS schema')) as [{ schema: ServiceName }];
    await runner.query(
      `CREATE TABLE organization_fence (
         org text PRIMARY KEY,
         refuses text NOT NULL CHECK (refuses IN ('requests', 'everything')),
         since timestamptz(3) NOT NULL DEFAULT clock_timestamp())`,
    );
    await runner.query(`REVOKE INSERT, UPDATE, DELETE ON organization_fence FROM ${databaseRole(schema)}`);
    await runner.query(
      `CREATE FUNCTION refuse_fenced_organization() RETURNS trigger LANGUAGE plpgsql AS $$
       BEGIN
         IF pg_has_role(current_user, (SELECT relowner FROM pg_class WHERE oid = TG_RELID), 'USAGE') THEN
           IF TG_OP = 'DELETE' THEN RETURN OLD; END IF;
           RETURN NEW;
         END IF;
         RAISE EXCEPTION 'the organization is being moved to another shard, or was' USING ERRCODE = '${fencedState}';
       END $$`,
    );
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('DROP FUNCTION refuse_fenced_organization CASCADE');
    await runner.query('DROP TABLE organization_fence');
  }
}

/** A deleted organization is fenced for good (docs/adr/0094-organization-deletion.md). */
export class DeletedOrganizations1768500000100 implements MigrationInterface {
  name = 'DeletedOrganizations1768500000100';

  async up(runner: QueryRunner): Promise<void> {
    await changeLevels(runner, "'requests', 'everything', 'deleted'");
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query("UPDATE organization_fence SET refuses = 'everything' WHERE refuses = 'deleted'");
    await changeLevels(runner, "'requests', 'everything'");
  }
}

async function changeLevels(runner: QueryRunner, levels: string): Promise<void> {
  await runner.query(
    `ALTER TABLE organization_fence DROP CONSTRAINT organization_fence_refuses_check,
       ADD CONSTRAINT organization_fence_refuses_check CHECK (refuses IN (${levels}))`,
  );
}

export const fencedOrganizations = statement('fenced_organizations', 'SELECT org, refuses FROM organization_fence');

/** For jobs that change rows of many organizations: a fenced one would make the statement fail for all of them. */
export const isNotFenced = (column: string): string =>
  `NOT EXISTS (SELECT FROM organization_fence f WHERE f.org = ${column})`;

/** Whether PostgreSQL refused a write because its organization moves, has moved to another shard, or was deleted. */
export function isFenced(error: unknown): boolean {
  return (error as { code?: unknown } | undefined)?.code === fencedState;
}

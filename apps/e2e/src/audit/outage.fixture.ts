import type pg from 'pg';
import { databaseRole } from '@holdfast/contracts';
import { stack } from '../clients/under-test.ts';
import { asOwner } from '../stack/database.ts';

/** A way in which the log cannot be written, and how it ends. */
export interface Outage {
  name: string;
  begin: () => Promise<unknown>;
  end: () => Promise<unknown>;
}

const role = databaseRole('audit');

/**
 * A statement that locks all tables may wait for a batch of audit that holds some of them and waits for it. PostgreSQL
 * then aborts one of the two; the statement is repeated.
 */
const deadlock = '40P01';

async function repeatAfterDeadlock(work: (client: pg.Client) => Promise<unknown>): Promise<void> {
  for (let tries = 5; ; tries -= 1) {
    try {
      await asOwner(stack, work);
      return;
    } catch (error) {
      if ((error as { code?: string }).code !== deadlock || tries === 0) throw error;
    }
  }
}

const execute = (...statements: string[]) =>
  repeatAfterDeadlock(async (client) => {
    for (const statement of statements) await client.query(statement);
  });

const createDiskFull = `
  CREATE OR REPLACE FUNCTION audit.disk_full() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
    RAISE EXCEPTION 'could not extend file: No space left on device' USING ERRCODE = '53100';
  END $$`;
const createTriggers = `
  DO $$ DECLARE t regclass; BEGIN
    FOR t IN SELECT oid FROM pg_class
      WHERE relnamespace = 'audit'::regnamespace AND relkind IN ('r', 'p') AND NOT relispartition
    LOOP EXECUTE format(
      'CREATE TRIGGER disk_full BEFORE INSERT ON %s FOR EACH STATEMENT EXECUTE FUNCTION audit.disk_full()', t);
    END LOOP;
  END $$`;
/** A setting of the role applies from the next login on. */
const loginAgain = `SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE usename = '${role}'`;

export const outages: Outage[] = [
  { name: 'it hangs', begin: () => stack.control('pause', 'audit'), end: () => stack.control('resume', 'audit') },
  { name: 'it is stopped', begin: () => stack.control('stop', 'audit'), end: () => stack.control('start', 'audit') },
  {
    name: 'it may not insert',
    begin: () => execute(`REVOKE INSERT ON ALL TABLES IN SCHEMA audit FROM ${role}`),
    // The fence is the one table that the role only reads.
    end: () =>
      execute(
        `GRANT INSERT ON ALL TABLES IN SCHEMA audit TO ${role}`,
        `REVOKE INSERT ON audit.organization_fence FROM ${role}`,
      ),
  },
  {
    name: 'its disk is full',
    begin: () => execute(createDiskFull, createTriggers),
    end: () => execute('DROP FUNCTION audit.disk_full() CASCADE'),
  },
  {
    name: 'its database is read-only',
    begin: () => execute(`ALTER ROLE ${role} SET default_transaction_read_only = on`, loginAgain),
    end: () => execute(`ALTER ROLE ${role} RESET default_transaction_read_only`, loginAgain),
  },
];

import pg from 'pg';
import { databaseRole } from '@holdfast/contracts';
import { stack } from '../under-test.ts';

/** A way in which the log cannot be written, and the way back. */
export interface Outage {
  name: string;
  begin: () => Promise<unknown>;
  end: () => Promise<unknown>;
}

const role = databaseRole('audit');

/**
 * What takes hold of all tables may wait for a batch that has some of them and waits for it: then it is this one's turn
 * to try again.
 */
const deadlock = '40P01';

async function asOwner(work: (client: pg.Client) => Promise<unknown>): Promise<void> {
  for (let tries = 5; ; tries -= 1) {
    try {
      return await connected(work);
    } catch (error) {
      if ((error as { code?: string }).code !== deadlock || tries === 0) throw error;
    }
  }
}

async function connected(work: (client: pg.Client) => Promise<unknown>): Promise<void> {
  const client = new pg.Client({ connectionString: stack.launcher.databaseUrl });
  await client.connect();
  try {
    await work(client);
  } finally {
    await client.end();
  }
}

const onTables = (statement: string) => `DO $$ DECLARE t regclass; BEGIN
  FOR t IN SELECT oid FROM pg_class WHERE relnamespace = 'audit'::regnamespace AND relkind IN ('r', 'p') AND NOT relispartition LOOP EXECUTE format(${statement}, t); END LOOP; END $$`;
/** A setting of the role counts from the next login on. */
const loginAgain = `SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE usename = '${role}'`;

export const outages: Outage[] = [
  { name: 'it hangs', begin: () => stack.control('pause', 'audit'), end: () => stack.control('resume', 'audit') },
  { name: 'it is stopped', begin: () => stack.control('stop', 'audit'), end: () => stack.control('start', 'audit') },
  {
    name: 'it may not insert',
    begin: () => asOwner((c) => c.query(`REVOKE INSERT ON ALL TABLES IN SCHEMA audit FROM ${role}`)),
    end: () => asOwner((c) => c.query(`GRANT INSERT ON ALL TABLES IN SCHEMA audit TO ${role}`)),
  },
  {
    name: 'its disk is full',
    begin: () =>
      asOwner(async (c) => {
        await c.query(
          `CREATE OR REPLACE FUNCTION audit.disk_full() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN RAISE EXCEPTION 'could not extend file: No space left on device' USING ERRCODE = '53100'; END $$`,
        );
        await c.query(
          onTables(
            "'CREATE TRIGGER disk_full BEFORE INSERT ON %s FOR EACH STATEMENT EXECUTE FUNCTION audit.disk_full()'",
          ),
        );
      }),
    end: () => asOwner((c) => c.query('DROP FUNCTION audit.disk_full() CASCADE')),
  },
  {
    name: 'its database is read-only',
    begin: () => asOwner((c) => c.query(`ALTER ROLE ${role} SET default_transaction_read_only = on; ${loginAgain}`)),
    end: () => asOwner((c) => c.query(`ALTER ROLE ${role} RESET default_transaction_read_only; ${loginAgain}`)),
  },
];

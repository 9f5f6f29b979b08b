import { databaseSetup } from '@holdfast/contracts';
import type { Command } from 'commander';
import pg from 'pg';
import { databaseConfig } from '../config.js';
import { show } from '../output.js';
import { Refusal } from '../refusal.js';
import { verb, type Json } from '../verb.js';

export function databaseCommands(program: Command): void {
  const database = program.command('database').description('the database (PostgreSQL)');

  verb(database, 'setup', 'make roles, schemas and grants, as the owner named by DATABASE_URL, with DB_PASSWORD_<SERVICE>; may be run again', ['database setup']).action(
    async ({ json }: Json) => {
      const { url, passwords } = databaseConfig();
      const statements = databaseSetup({ passwords });
      await asOwner(url, async (client) => {
        for (const statement of statements) await client.query(statement);
      });
      show({ statements: statements.length }, json, () => `Roles, schemas and grants are set up (${statements.length} statements).`);
    },
  );
}

async function asOwner(connectionString: string, work: (client: pg.Client) => Promise<void>): Promise<void> {
  const client = new pg.Client({ connectionString, connectionTimeoutMillis: 10_000 });
  client.on('error', () => undefined);
  try {
    await client.connect();
    await work(client);
  } catch (error) {
    // The address without its password; PostgreSQL's own messages repeat no statement.
    const { host, pathname } = new URL(connectionString);
    throw new Refusal(`The database at ${host}${pathname} could not be set up: ${error instanceof Error ? error.message : String(error)}`);
  } finally {
    await client.end().catch(() => undefined);
  }
}

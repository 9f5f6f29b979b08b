import type { Command } from 'commander';
import { databaseSetup } from '@holdfast/platform-policy';
import { addCommand, type Json } from '../add-command.js';
import { databaseConfig } from '../config.js';
import { asOwner } from '../database-owner.js';
import { show } from '../output.js';

export function databaseCommands(program: Command): void {
  const database = program.command('database').description('the database (PostgreSQL)');

  addCommand(
    database,
    'setup',
    'make roles, schemas and grants, as the owner named by DATABASE_URL, with DB_PASSWORD_<SERVICE>, and DB_CONNECTIONS for each role; may be run again',
    ['database setup'],
  ).action(async ({ json }: Json) => {
    const { url, ...options } = databaseConfig();
    const statements = databaseSetup(options);
    await asOwner(url, 'Setting up the database', async (client) => {
      for (const statement of statements) await client.query(statement);
    });
    show(
      { statements: statements.length },
      json,
      () => `Roles, schemas and grants are set up (${statements.length} statements).`,
    );
  });
}

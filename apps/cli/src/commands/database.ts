import type { Command } from 'commander';
import { databaseSetup } from '@holdfast/platform-policy';
import { addCommand, seconds, type Json } from '../add-command.js';
import { databaseConfig, ownerConnections } from '../config.js';
import { asDatabaseOwner, asOwner, untilConnected } from '../database-owner.js';
import { show } from '../output.js';
import { secretStore } from '../secrets/secret-store.js';

export function databaseCommands(program: Command): void {
  const database = program.command('database').description('the database (PostgreSQL)');

  addCommand(
    database,
    'setup',
    `create roles, schemas and grants, ${asDatabaseOwner}; DB_PASSWORD_<SERVICE> sets each password, DB_CONNECTIONS ` +
      'the connection limit of each role; may be repeated',
    ['database setup', 'database setup --wait 600', 'database setup --kubernetes-secret holdfast'],
  )
    .option('--kubernetes-secret <name>', "take the passwords from a Secret in the pod's own namespace")
    .option('--wait <seconds>', 'how long to wait for a server that does not accept connections yet', seconds)
    .action(async ({ json, wait = 0, kubernetesSecret }: Json & { wait?: number; kubernetesSecret?: string }) => {
      const stored = kubernetesSecret === undefined ? undefined : await secretStore({ kubernetesSecret });
      const config = databaseConfig(await stored?.read());
      const databases = ownerConnections().map((owner) => ({
        owner,
        statements: databaseSetup({ ...config, services: owner.services }),
      }));
      for (const { owner, statements } of databases) {
        await untilConnected(owner, wait);
        await asOwner(owner, 'Setting up the database', async (client) => {
          for (const statement of statements) await client.query(statement);
        });
      }
      const count = databases.reduce((sum, { statements }) => sum + statements.length, 0);
      const where = databases.length === 1 ? '' : ` in ${databases.length} databases`;
      show(
        { statements: count, databases: databases.length },
        json,
        () => `Roles, schemas and grants are set up${where} (${count} statements).`,
      );
    });
}

import { createOrganization, listOrganizations, suspendOrganization, type Organization } from '@holdfast/contracts';
import type { Command } from 'commander';
import { withHouse } from '../house.js';
import { show, table } from '../output.js';
import { verb, type Json } from '../verb.js';

export function organizationCommands(program: Command): void {
  const org = program.command('org').description('organizations: each has an issuer of its own');

  verb(org, 'create <shortId>', 'create an organization', ['org create acme --name "Acme Ltd"'])
    .option('--name <name>', 'its name (the short ID when left out)')
    .action((shortId: string, { name = shortId, json }: Json & { name?: string }) =>
      withHouse('org create', async ({ ask }) => {
        const reply = await ask(createOrganization, { shortId, name }, shortId);
        show(reply, json, () => `Created the organization ${shortId}.`);
      }),
    );

  verb(org, 'list', 'list all organizations', ['org list']).action(({ json }: Json) =>
    withHouse('org list', async ({ ask }) => {
      const { items } = await ask(listOrganizations, {});
      show(items, json, () => (items.length === 0 ? 'There is no organization yet; make one with: holdfast org create <shortId>' : organizationTable(items)));
    }),
  );

  const suspension = (name: string, suspended: boolean, says: string, done: string) =>
    verb(org, `${name} <shortId>`, says, [`org ${name} acme`]).action((shortId: string, { json }: Json) =>
      withHouse(`org ${name}`, async ({ ask }) => {
        const reply = await ask(suspendOrganization, { shortId, suspended }, shortId);
        show(reply, json, () => `${shortId} is ${done}.`);
      }),
    );
  suspension('suspend', true, 'refuse all apps of an organization, within a second', 'suspended: all of its apps are refused');
  suspension('resume', false, 'let a suspended organization go on', 'resumed: its apps have the access that they had');
}

function organizationTable(items: Organization[]): string {
  const rows = items.map((o) => [o.shortId, o.name, o.suspended ? 'suspended' : 'active', o.createdAt]);
  return table(['ORGANIZATION', 'NAME', 'STATE', 'CREATED'], rows);
}

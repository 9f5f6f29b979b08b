import type { Command } from 'commander';
import {
  addGroupMembers,
  createGroup,
  deleteGroup,
  listGroupMembers,
  listGroups,
  removeGroupMembers,
  updateGroup,
  type Group,
} from '@holdfast/contracts';
import { addCommand, type Json } from '../add-command.js';
import { allPages } from '../all-pages.js';
import { CommandError } from '../command-error.js';
import { asOperator } from '../operator-session.js';
import { sheet, show, table } from '../output.js';

interface GroupOptions extends Json {
  name?: string;
  description?: string | false;
}

export function groupCommands(program: Command): void {
  const group = program.command('group').description('groups of people, which can be assigned to apps');
  listCommands(group);
  changeCommands(group);
  memberCommands(group);
}

function listCommands(group: Command): void {
  addCommand(group, 'list <org>', 'list the groups of an organization', ['group list acme', 'group list acme --q sup'])
    .option('--q <text>', 'only groups whose name begins so')
    .action((org: string, { json, q }: Json & { q?: string }) =>
      asOperator('group list', async ({ requestsFor }) => {
        const items = await allPages(requestsFor(org), listGroups, { ...(q !== undefined && { q }) });
        show(items, json, () =>
          table(
            ['GROUP', 'NAME', 'DESCRIPTION'],
            items.map(({ id, name, description = '' }) => [id, name, description]),
          ),
        );
      }),
    );

  addCommand(group, 'members <org> <group>', 'list the members of a group', ['group members acme 019aa5f2-…']).action(
    (org: string, id: string, { json }: Json) =>
      asOperator('group members', async ({ requestsFor }) => {
        const items = await allPages(requestsFor(org), listGroupMembers, { group: id });
        show(items, json, () =>
          table(
            ['USER', 'ADDED'],
            items.map(({ user, addedAt }) => [user, addedAt]),
          ),
        );
      }),
  );
}

function changeCommands(group: Command): void {
  addCommand(group, 'create <org> <name>', 'create a group', ['group create acme Support'])
    .option('--description <text>', 'what it is for')
    .action((org: string, name: string, { json, description }: Json & { description?: string }) =>
      asOperator('group create', async ({ request }) => {
        const given = { name, ...(description !== undefined && { description }) };
        const reply = await request(createGroup, { group: given }, org);
        show(reply.group, json, () => groupSheet(reply.group));
      }),
    );

  addCommand(group, 'update <org> <group>', 'rename or describe a group', [
    'group update acme 019aa5f2-… --name "Customer support"',
    'group update acme 019aa5f2-… --no-description',
  ])
    .option('--name <name>', 'name')
    .option('--description <text>', 'what it is for')
    .option('--no-description', 'remove the description')
    .action((org: string, id: string, { json, name, description }: GroupOptions) =>
      asOperator('group update', async ({ request }) => {
        // Without either option commander sets the description to true.
        const described = typeof description === 'string' || description === false;
        const changes = {
          ...(name !== undefined && { name }),
          ...(described && { description: description === false ? null : description }),
        };
        if (Object.keys(changes).length === 0)
          throw new CommandError('There is nothing to change. "holdfast group update --help" lists the options.');
        const reply = await request(updateGroup, { group: id, changes }, org);
        show(reply.group, json, () => groupSheet(reply.group));
      }),
    );

  addCommand(group, 'delete <org> <group>', 'delete a group; its assignments to apps end', [
    'group delete acme 019aa5f2-…',
  ]).action((org: string, id: string, { json }: Json) =>
    asOperator('group delete', async ({ request }) => {
      await request(deleteGroup, { group: id }, org);
      show({ group: id }, json, () => `Group ${id} is deleted.`);
    }),
  );
}

function memberCommands(group: Command): void {
  for (const [verb, contract, done] of [
    ['add', addGroupMembers, 'added'],
    ['remove', removeGroupMembers, 'removed'],
  ] as const)
    addCommand(group, `${verb} <org> <group> <users...>`, `${verb} people, all of them or none`, [
      `group ${verb} acme 019aa5f2-… 5b0c9f0e-…`,
    ]).action((org: string, id: string, users: string[], { json }: Json) =>
      asOperator(`group ${verb}`, async ({ request }) => {
        const { changed } = await request(contract, { group: id, users }, org);
        show({ changed }, json, () => `${changed} of ${users.length} were ${done}; the others were so already.`);
      }),
    );
}

function groupSheet({ id, name, description, createdAt }: Group): string {
  return sheet({ Group: id, Name: name, Description: description, Created: createdAt });
}

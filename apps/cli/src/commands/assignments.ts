import type { Command } from 'commander';
import { assign, listAssignments, listEntitlements, unassign, type Assignment } from '@holdfast/contracts';
import { addCommand, type Json } from '../add-command.js';
import { allPages } from '../all-pages.js';
import { asOperator } from '../operator-session.js';
import { show, table } from '../output.js';

interface Filter extends Json {
  user?: string;
  group?: string;
  app?: string;
}

export function assignmentCommands(program: Command): void {
  const assignment = program.command('assignment').description('who may sign in to an app of audience people');

  addCommand(assignment, 'list <org> <clientId>', 'list the people and groups that are assigned to an app', [
    'assignment list acme app_2Vw…',
  ]).action((org: string, clientId: string, { json }: Json) =>
    asOperator('assignment list', async ({ requestsFor }) => {
      const items = await allPages(requestsFor(org), listAssignments, { clientId });
      show(items, json, () =>
        table(
          ['ASSIGNMENT', 'TO', 'EXPIRES'],
          items.map((item) => [item.id, assigneeOf(item), item.expiresAt ?? 'never']),
        ),
      );
    }),
  );

  addCommand(assignment, 'add <org> <clientId>', 'assign a person or a group to an app', [
    'assignment add acme app_2Vw… --group 019aa5f2-…',
    'assignment add acme app_2Vw… --user 5b0c9f0e-…',
  ])
    .option('--user <id>', 'the person')
    .option('--group <id>', 'the group')
    .action((org: string, clientId: string, { json, user, group }: Filter) =>
      asOperator('assignment add', async ({ request }) => {
        const assignee = { ...(user !== undefined && { user }), ...(group !== undefined && { group }) };
        const reply = await request(assign, { clientId, assignee }, org);
        show(reply.assignment, json, () => `Assigned: ${assigneeOf(reply.assignment)} (${reply.assignment.id})`);
      }),
    );

  addCommand(assignment, 'remove <org> <clientId> <assignment>', 'end an assignment', [
    'assignment remove acme app_2Vw… 019aa5f2-…',
  ]).action((org: string, clientId: string, id: string, { json }: Json) =>
    asOperator('assignment remove', async ({ request }) => {
      await request(unassign, { clientId, assignment: id }, org);
      show({ assignment: id }, json, () => `Assignment ${id} has ended.`);
    }),
  );

  addCommand(assignment, 'entitlements <org>', 'list who can use which app now, and by which path', [
    'assignment entitlements acme --app app_2Vw…',
  ])
    .option('--user <id>', 'only what this person can use')
    .option('--app <clientId>', 'only who can use this app')
    .option('--group <id>', 'only what comes through this group')
    .action((org: string, { json, ...filter }: Filter) =>
      asOperator('assignment entitlements', async ({ requestsFor }) => {
        const items = await allPages(requestsFor(org), listEntitlements, filter);
        show(items, json, () =>
          table(
            ['USER', 'APP', 'PATH', 'SINCE', 'EXPIRES'],
            items.map((item) => [
              item.user,
              item.app,
              [item.path, item.group ?? item.accessRequest ?? ''].join(' ').trim(),
              item.since,
              item.expiresAt ?? 'never',
            ]),
          ),
        );
      }),
    );
}

function assigneeOf({ user, group }: Assignment): string {
  return user === undefined ? `group ${group}` : `user ${user}`;
}

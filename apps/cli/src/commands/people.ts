import { InvalidArgumentError, Option, type Command } from 'commander';
import {
  changeRoles,
  getPerson,
  invitePerson,
  listPeople,
  listPersonPasskeys,
  personStatuses,
  reissueInvitation,
  removePerson,
  roleNames,
  setPersonActive,
  withdrawInvitation,
  type ReplyOf,
  type RequestOf,
  type Role,
  type User,
  type UserPasskey,
} from '@holdfast/contracts';
import { addCommand, seconds, type Json } from '../add-command.js';
import { CommandError } from '../command-error.js';
import { asOperator } from '../operator-session.js';
import { sheet, show, table } from '../output.js';

interface InviteOptions extends Json {
  email: string;
  name: string;
  role?: Role[];
  expiresIn?: number;
}
interface ListOptions extends Json {
  status?: User['status'];
  role?: Role;
  search?: string;
}
interface RolesOptions extends Json {
  role?: Role[];
  none?: boolean;
}

const pageSize = 200;

function role(value: string): Role {
  const found = roleNames.find((name) => name === value);
  if (!found) throw new InvalidArgumentError(`Use one of ${roleNames.join(', ')}.`);
  return found;
}

function rolesOf(value: string, before: Role[] = []): Role[] {
  return [...before, role(value)];
}

export function personCommands(program: Command): void {
  const person = program.command('person').description('people of an organization: invitations, roles, recovery');
  invitationCommands(person);
  readCommands(person);
  changeCommands(person);
}

function invitationCommands(person: Command): void {
  addCommand(person, 'invite <org>', 'invite a person and print the link, which is shown only here', [
    'person invite acme --email ann@example.com --name "Ann Lee" --role owner',
  ])
    .requiredOption('--email <address>', 'e-mail address, unique in the organization')
    .requiredOption('--name <name>', 'name')
    .option('--role <role>', 'role of the person; may be repeated', rolesOf)
    .option('--expires-in <seconds>', 'lifetime of the link (default: 72 hours)', seconds)
    .action((org: string, { json, email, name, role: roles, expiresIn }: InviteOptions) =>
      asOperator('person invite', async ({ request }) => {
        const given = { email, name, ...(roles && { roles }), ...(expiresIn !== undefined && { expiresIn }) };
        showLink(await request(invitePerson, given, org), json);
      }),
    );

  addCommand(
    person,
    'recover <org> <person>',
    'print a new link: for an invited person it replaces the earlier one; for an active one it is a recovery, which ' +
      'replaces all passkeys once it is accepted',
    ['person recover acme 7d8f3a52-4a0e-4f0b-9d0c-2f6b1c9e5a34'],
  )
    .option('--expires-in <seconds>', 'lifetime of the link (default: 72 hours)', seconds)
    .action((org: string, id: string, { json, expiresIn }: Json & { expiresIn?: number }) =>
      asOperator('person recover', async ({ request }) => {
        const given = { person: id, ...(expiresIn !== undefined && { expiresIn }) };
        showLink(await request(reissueInvitation, given, org), json);
      }),
    );

  addCommand(person, 'withdraw <org> <person>', 'end the open link of a person', [
    'person withdraw acme 7d8f3a52-4a0e-4f0b-9d0c-2f6b1c9e5a34',
  ]).action((org: string, id: string, { json }: Json) =>
    asOperator('person withdraw', async ({ request }) => {
      show(await request(withdrawInvitation, { person: id }, org), json, () => 'The link is withdrawn.');
    }),
  );
}

function readCommands(person: Command): void {
  addCommand(person, 'list <org>', 'list the people of an organization, newest first', [
    'person list acme',
    'person list acme --role owner --status active',
    'person list acme --search ann',
  ])
    .addOption(new Option('--status <status>', 'only people with this status').choices(personStatuses))
    .option('--role <role>', 'only people with this role', role)
    .option('--search <text>', 'only people of whose name a word, or whose e-mail address, begins so')
    .action((org: string, { json, status, role: withRole, search }: ListOptions) =>
      asOperator('person list', async ({ request }) => {
        const filter = {
          ...(status && { status }),
          ...(withRole && { role: withRole }),
          ...(search !== undefined && { q: search }),
        };
        const items: User[] = [];
        for (let after: RequestOf<typeof listPeople>['after']; ;) {
          const page: ReplyOf<typeof listPeople> = await request(
            listPeople,
            { ...filter, limit: pageSize, ...(after && { after }) },
            org,
          );
          items.push(...page.items);
          if (!page.next) break;
          after = page.next;
        }
        show(items, json, () => personTable(items));
      }),
    );

  addCommand(person, 'get <org> <person>', 'show a person and their passkeys', [
    'person get acme 7d8f3a52-4a0e-4f0b-9d0c-2f6b1c9e5a34',
  ]).action((org: string, id: string, { json }: Json) =>
    asOperator('person get', async ({ request }) => {
      const user = await request(getPerson, { person: id }, org);
      const { items: passkeys } = await request(listPersonPasskeys, { person: id }, org);
      show({ ...user, passkeys }, json, () => personSheet(user, passkeys));
    }),
  );
}

function changeCommands(person: Command): void {
  addCommand(person, 'roles <org> <person>', 'replace the roles of a person', [
    'person roles acme 7d8f3a52-4a0e-4f0b-9d0c-2f6b1c9e5a34 --role admin --role auditor',
    'person roles acme 7d8f3a52-4a0e-4f0b-9d0c-2f6b1c9e5a34 --none',
  ])
    .option('--role <role>', 'a role of the person from now on; may be repeated', rolesOf)
    .option('--none', 'take all roles')
    .action((org: string, id: string, { json, role: roles = [], none = false }: RolesOptions) =>
      asOperator('person roles', async ({ request }) => {
        if (none === roles.length > 0) throw new CommandError('Give --role, once or several times, or --none.');
        const { user } = await request(changeRoles, { person: id, roles }, org);
        show(user, json, () => personSheet(user));
      }),
    );

  for (const [name, active, description] of [
    ['deactivate', false, 'deactivate a person: sessions and tokens end within a second'],
    ['reactivate', true, 'reactivate a person, with the same passkeys, roles and groups'],
  ] as const)
    addCommand(person, `${name} <org> <person>`, description, [
      `person ${name} acme 7d8f3a52-4a0e-4f0b-9d0c-2f6b1c9e5a34`,
    ]).action((org: string, id: string, { json }: Json) =>
      asOperator(`person ${name}`, async ({ request }) => {
        const { user } = await request(setPersonActive, { person: id, active }, org);
        show(user, json, () => personSheet(user));
      }),
    );

  addCommand(person, 'remove <org> <person>', 'remove a person and erase their personal data, for good', [
    'person remove acme 7d8f3a52-4a0e-4f0b-9d0c-2f6b1c9e5a34 --yes',
  ])
    .option('--yes', 'confirm: it cannot be undone')
    .action((org: string, id: string, { json, yes }: Json & { yes?: boolean }) =>
      asOperator('person remove', async ({ request }) => {
        if (!yes) throw new CommandError('This erases the person for good. Add --yes to do it.');
        show(await request(removePerson, { person: id }, org), json, () => 'The person is removed.');
      }),
    );
}

function showLink(invited: ReplyOf<typeof reissueInvitation>, json: boolean | undefined): void {
  const { replayed: _, ...reply } = invited;
  show(reply, json, () => `${personSheet(reply.user)}\n${sheet({ Link: reply.invitationUrl })}`);
}

function personTable(items: User[]): string {
  if (items.length === 0) return 'No person was found.';
  const rows = items.map((user) => [user.id, user.name, user.email, user.status, user.roles.join(' ')]);
  return table(['ID', 'NAME', 'E-MAIL', 'STATUS', 'ROLES'], rows);
}

function personSheet(user: User, passkeys?: UserPasskey[]): string {
  const { invitation } = user;
  return sheet({
    Id: user.id,
    Name: user.name,
    'E-mail': user.email,
    Status: user.status,
    Roles: user.roles.join(' ') || 'none',
    'Last sign-in': user.lastSignInAt ?? 'never',
    'Open link': invitation && `${invitation.recovery ? 'recovery' : 'invitation'} until ${invitation.expiresAt}`,
    Passkeys: passkeys && (passkeys.map(({ name }) => name).join(', ') || 'none'),
  });
}

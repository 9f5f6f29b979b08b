// Every command of `holdfast person`, `group`, `assignment` and `access-request`, as an operator types it: what it
// prints, and the exit code and message when it fails.
import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { AccessRequest, Assignment, Entitlement, Group, User } from '@holdfast/contracts';
import { closeConnections } from '../clients/http.ts';
import { stack } from '../clients/under-test.ts';
import type { App } from '../stack/stack.ts';
import { newPeopleApp } from './people.fixture.ts';
import { acceptInvitation, HubUser, newPerson, type Person } from './person.fixture.ts';

let org: string;
let desk: App;
let ann: Person;
beforeAll(async () => {
  org = await stack.newOrganization();
  [desk, ann] = await Promise.all([newPeopleApp(stack, org, 'desk'), newPerson(org)]);
});
afterAll(closeConnections);

const uuid = /[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}/;

/** What a command prints that succeeds: one line with one space where it aligns columns. */
async function printed(...args: string[]): Promise<string> {
  const { exitCode, stdout, stderr } = await stack.printed(...args);
  expect([args, exitCode, stderr]).toEqual([args, 0, '']);
  return stdout.replace(/ +/g, ' ');
}

type Failure = [args: string[], exitCode: number, message: RegExp];

/** All at once: they change nothing. */
async function expectFailures(failures: Failure[]): Promise<void> {
  const found = await Promise.all(
    failures.map(async ([args]) => {
      const { exitCode, stdout, stderr } = await stack.printed(...args);
      return { args, exitCode, stdout, stderr };
    }),
  );
  for (const [i, { args, exitCode, stdout, stderr }] of found.entries()) {
    const [, expected, message] = failures[i]!;
    expect([args, exitCode, stdout]).toEqual([args, expected, '']);
    expect(stderr).toMatch(message);
    // A message for people, without a stack trace.
    expect(stderr).not.toMatch(/\n\s+at /);
  }
}

it('person: invites, shows, recovers, gives roles, deactivates and removes', async () => {
  const email = `bo@${org}.example`;
  const invited = await printed('person', 'invite', org, '--email', email, '--name', 'Bo Lee', '--role', 'auditor');
  const id = uuid.exec(invited)![0];
  const linkOf = (text: string) => /^Link (\S+)$/m.exec(text)![1]!;
  expect(invited).toContain(`Name Bo Lee\nE-mail ${email}\nStatus invited\nRoles auditor\nLast sign-in never\n`);
  expect(linkOf(invited)).toMatch(new RegExp(`^${stack.baseUrl}/o/${org}/invitation#[\\w-]{43}$`));
  expect(await printed('person', 'list', org, '--status', 'invited')).toContain(
    `${id} Bo Lee ${email} invited auditor`,
  );
  expect(await printed('person', 'list', org, '--search', 'nobody')).toBe('No person was found.\n');
  expect(await printed('person', 'get', org, id)).toMatch(/Open link invitation until .*\nPasskeys none\n$/);

  const again = await printed('person', 'recover', org, id, '--expires-in', '3600');
  expect(linkOf(again)).not.toBe(linkOf(invited));
  await expect(acceptInvitation(org, linkOf(invited))).rejects.toThrow();
  await acceptInvitation(org, linkOf(again));
  expect(await printed('person', 'get', org, id)).toMatch(/Status active\n[^]*Passkeys Passkey\n$/);
  expect(await printed('person', 'recover', org, id)).toMatch(/Open link recovery until /);
  expect(await printed('person', 'withdraw', org, id)).toBe('The link is withdrawn.\n');

  const roles = await printed('person', 'roles', org, id, '--role', 'admin', '--role', 'approver');
  expect(roles).toContain('Roles admin approver\n');
  expect(await printed('person', 'list', org, '--role', 'approver')).toContain(id);
  expect(await printed('person', 'roles', org, id, '--none')).toContain('Roles none\n');
  expect(await printed('person', 'deactivate', org, id)).toContain('Status deactivated\n');
  expect(await printed('person', 'reactivate', org, id)).toContain('Status active\n');
  expect((await stack.operator<User[]>('person', 'list', org, '--search', 'bo')).map((user) => user.id)).toEqual([id]);

  await stack.operator('person', 'roles', org, ann.id, '--role', 'owner');
  const invite = ['person', 'invite', org];
  await expectFailures([
    [['person', 'remove', org, id], 1, /Add --yes/],
    [['person', 'roles', org, id], 1, /--none/],
    [['person', 'roles', org, ann.id, '--none'], 1, /owner/],
    [['person', 'get', org, randomUUID()], 1, /person/i],
    [['person', 'list', 'no-such-organization'], 1, /no-such-organization|organization/],
    [[...invite, '--email', email, '--name', 'Other'], 1, /address|e-mail/i],
    [[...invite, '--email', 'nope', '--name', 'Other'], 1, /^--email: /],
    [[...invite, '--email', 'a@b.example'], 2, /--name/],
    [[...invite, '--email', 'a@b.example', '--name', 'A', '--role', 'king'], 2, /owner, admin/],
    [[...invite, '--email', 'a@b.example', '--name', 'A', '--expires-in', '1h'], 2, /seconds/],
    [['person', 'list', org, '--status', 'gone'], 2, /invited/],
    [['person', 'promote', org], 2, /unknown command/],
  ]);

  expect(await printed('person', 'remove', org, id, '--yes')).toBe('The person is removed.\n');
  await expectFailures([[['person', 'remove', org, id, '--yes'], 1, /person/i]]);
});

describe('groups and what they open', () => {
  let group: string;
  beforeAll(async () => {
    group = uuid.exec(await printed('group', 'create', org, 'Support', '--description', 'Answers the phone'))![0];
  });

  it('group: creates, shows, changes and deletes groups, and adds and removes members', async () => {
    expect(await printed('group', 'list', org, '--q', 'sup')).toContain(`${group} Support Answers the phone\n`);
    expect(await printed('group', 'list', org, '--q', 'x')).toBe('GROUP NAME DESCRIPTION\n');
    const renamed = await printed('group', 'update', org, group, '--name', 'Help', '--no-description');
    expect(renamed).toMatch(new RegExp(`^Group ${group}\nName Help\nCreated \\S+\n$`));
    expect(await printed('group', 'add', org, group, ann.id)).toMatch(/^1 of 1 were added/);
    expect(await printed('group', 'add', org, group, ann.id)).toMatch(/^0 of 1 were added/);
    expect(await printed('group', 'members', org, group)).toMatch(new RegExp(`^USER ADDED\n${ann.id} \\S+\n$`));
    expect(await printed('group', 'remove', org, group, ann.id)).toMatch(/^1 of 1 were removed/);
    const other = await stack.operator<Group>('group', 'create', org, 'Other');
    expect(await printed('group', 'delete', org, other.id)).toBe(`Group ${other.id} is deleted.\n`);

    await expectFailures([
      [['group', 'create', org, 'HELP'], 1, /name|group/i],
      [['group', 'create', org, 'a\u202eb'], 1, /^<name>: /],
      [['group', 'update', org, group], 1, /nothing to change/],
      [['group', 'delete', org, other.id], 1, /group/i],
      [['group', 'add', org, group, randomUUID()], 1, /users|person/i],
      [['group', 'add', org, group], 2, /missing required argument/],
    ]);
    expect(await stack.operator<Group[]>('group', 'list', org)).toMatchObject([{ id: group, name: 'Help' }]);
  });

  it('assignment: assigns people and groups, shows who can use what, and ends assignments', async () => {
    const { clientId } = desk;
    await stack.operator('group', 'add', org, group, ann.id);
    const ofGroup = await printed('assignment', 'add', org, clientId, '--group', group);
    const assigned = new RegExp(`^Assigned: group ${group} \\((${uuid.source})\\)\n$`).exec(ofGroup)![1]!;
    await stack.operator('assignment', 'add', org, clientId, '--user', ann.id);
    const list = await printed('assignment', 'list', org, clientId);
    expect(list).toContain(`${assigned} group ${group} never\n`);
    expect(list).toContain(`user ${ann.id} never\n`);
    for (const filter of [
      ['--user', ann.id],
      ['--app', clientId],
    ]) {
      const shown = await printed('assignment', 'entitlements', org, ...filter);
      expect(shown).toContain(`${ann.id} ${clientId} direct `);
      expect(shown).toContain(`${ann.id} ${clientId} group ${group} `);
    }
    const through = await stack.operator<Entitlement[]>('assignment', 'entitlements', org, '--group', group);
    expect(through).toMatchObject([{ user: ann.id, path: 'group' }]);
    const ended = await printed('assignment', 'remove', org, clientId, assigned);
    expect(ended).toBe(`Assignment ${assigned} has ended.\n`);

    const add = ['assignment', 'add', org, clientId];
    await expectFailures([
      [add, 1, /user|group/],
      [[...add, '--user', ann.id, '--group', group], 1, /user|group/],
      [[...add, '--user', ann.id], 1, /already/],
      [['assignment', 'add', org, 'app_Ab3dE6gH9jK2mN5pQ8sT1v', '--user', ann.id], 1, /app/],
      [['assignment', 'remove', org, clientId, assigned], 1, /assignment/i],
      [['assignment', 'entitlements', org, '--user', 'x'], 1, /user/],
      [['assignment', 'list', org], 2, /missing required argument/],
    ]);
    const left = await stack.operator<Assignment[]>('assignment', 'list', org, clientId);
    expect(left).toMatchObject([{ user: ann.id }]);
  });
});

it('access-request: lists, approves and denies', async () => {
  const { clientId } = desk;
  const person = await HubUser.make(org);
  const requestAccess = async () =>
    (
      await person.call<AccessRequest>('POST', '/access-requests', {
        app: clientId,
        reason: 'On call',
        durationSeconds: 7200,
      })
    ).body.id;
  const first = await requestAccess();
  const row = `${first} ${person.id} ${clientId} pending 7200 On call\n`;
  for (const filter of [
    ['--status', 'pending'],
    ['--user', person.id, '--app', clientId],
  ])
    expect(await printed('access-request', 'list', org, ...filter)).toContain(row);
  const request = ['access-request', 'approve', org, first];
  await expectFailures([
    [[...request, '--seconds', '7201'], 1, /^--seconds: .*7200/],
    [[...request, '--seconds', 'hour'], 2, /seconds/],
    [['access-request', 'deny', org, first], 2, /--reason/],
    [['access-request', 'deny', org, first, '--reason', ''], 1, /^--reason: /],
    [['access-request', 'list', org, '--status', 'open'], 2, /pending/],
    [['access-request', 'approve', org, randomUUID()], 1, /access request/i],
  ]);
  const approved = await printed(...request, '--seconds', '3600');
  expect(approved).toMatch(
    new RegExp(
      `^Request ${first}\nUser ${person.id}\nApp ${clientId}\nStatus approved\nSeconds 3600\nAssignment \\S+\n$`,
    ),
  );
  const second = await requestAccess();
  const denied = await printed('access-request', 'deny', org, second, '--reason', 'Not now');
  expect(denied).toContain('Status denied\n');
  await expectFailures([
    [request, 1, /is approved since/],
    [['access-request', 'deny', org, second, '--reason', 'Again'], 1, /is denied since/],
  ]);
  const all = await stack.operator<AccessRequest[]>('access-request', 'list', org);
  expect(all.map(({ status, decidedBy }) => [status, decidedBy])).toEqual([
    ['denied', { type: 'operator', id: 'operator' }],
    ['approved', { type: 'operator', id: 'operator' }],
  ]);
});

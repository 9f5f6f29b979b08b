// Roles are given and taken by people at the hub, within their own roles, and the last owner stays (product §6). That
// it needs a recent sign-in is in clock.spec.ts.
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { listPeople, roleNames, type Role, type User } from '@holdfast/contracts';
import { eventually } from '@holdfast/testing';
import { Client, type Page } from '../clients/client.ts';
import { closeConnections, type Problem } from '../clients/http.ts';
import { stack } from '../clients/under-test.ts';
import { HubUser, newPerson, type Person } from '../people/person.fixture.ts';

let org: string;
let observer: Client;
let owner: HubUser;
let admin: HubUser;
let colleague: Person;

beforeAll(async () => {
  org = await stack.newOrganization();
  const grants = ['audit:read', 'webhooks:manage'];
  [owner, admin, colleague] = await Promise.all([
    HubUser.make(org, ['owner']),
    HubUser.make(org, ['admin']),
    newPerson(org),
  ]);
  observer = new Client(stack, await stack.newApp(org, 'observer', grants, 'service'));
});
afterAll(closeConnections);

const give = (by: HubUser, { id }: { id: string }, ...roles: Role[]) =>
  by.call<User & Omit<Problem, 'status'>>('POST', `/users/${id}/roles`, { roles });
const outcomeOf = async (reply: ReturnType<typeof give>) => {
  const { status, body } = await reply;
  return [status, body.code ?? body.roles];
};

describe('a role', () => {
  it('is given by admins, except owner, and by owners without exception', async () => {
    for (const role of roleNames.filter((name) => name !== 'owner'))
      expect(await outcomeOf(give(admin, colleague, role))).toEqual([200, [role]]);
    expect(await outcomeOf(give(admin, colleague, 'owner'))).toEqual([403, 'insufficient_role']);
    expect(await outcomeOf(give(admin, colleague, 'support', 'owner'))).toEqual([403, 'insufficient_role']);
    expect(await outcomeOf(give(owner, colleague, 'owner'))).toEqual([200, ['owner']]);
    expect(await outcomeOf(give(admin, colleague))).toEqual([403, 'insufficient_role']);
    expect(await outcomeOf(give(owner, colleague))).toEqual([200, []]);
    const log = (await observer.wholeLog({ action: 'role.change', target: colleague.id })).reverse();
    expect(log.map(({ outcome }) => outcome.code ?? outcome.result)).toEqual([
      ...Array<string>(4).fill('success'),
      ...Array<string>(2).fill('insufficient_role'),
      'success',
      'insufficient_role',
      'success',
    ]);
    const changed = await eventually(async () => {
      const found = (await observer.feed()).filter(
        ({ type, data }) => type === 'role.changed' && data.user === colleague.id,
      );
      return found.length === 6 && found;
    });
    expect(changed.at(-1)!.data).toMatchObject({ roles: [] });
  });

  it('is never given by oneself, to oneself, nor invited by somebody who may not give it', async () => {
    for (const roles of [['admin', 'auditor'], ['admin', 'owner'], ['owner']] as Role[][])
      expect(await outcomeOf(give(admin, admin, ...roles))).toEqual([403, 'insufficient_role']);
    const invited = await admin.call('POST', '/users', { email: `x@${org}.example`, name: 'X', roles: ['owner'] });
    expect([invited.status, invited.body.code]).toEqual([403, 'insufficient_role']);
    for (const [method, path, json] of [
      ['POST', `/users/${owner.id}/deactivate`, undefined],
      ['POST', `/users/${owner.id}/invitation`, {}],
      ['PATCH', `/users/${owner.id}`, { email: `mine@${org}.example` }],
      ['DELETE', `/users/${owner.id}`, undefined],
    ] as const) {
      const { status, body } = await admin.call(method, path, json);
      expect([method, path, status, body.code]).toEqual([method, path, 403, 'insufficient_role']);
    }
    const { body } = await owner.call<Page<User>>('GET', '/users?role=owner');
    expect(body.items.map(({ id }) => id)).toEqual([owner.id]);
  });

  it('of the last owner cannot be taken, and the last owner is neither deactivated nor removed', async () => {
    for (const [method, path, json] of [
      ['POST', `/users/${owner.id}/roles`, { roles: [] }],
      ['POST', `/users/${owner.id}/roles`, { roles: ['admin'] }],
      ['POST', `/users/${owner.id}/deactivate`, undefined],
      ['DELETE', `/users/${owner.id}`, undefined],
    ] as const) {
      const { status, body } = await owner.call(method, path, json);
      // Nobody gives themselves a role, so that the exchange of owner for admin is refused for that reason.
      const expected = json?.roles.length === 1 ? [403, 'insufficient_role'] : [409, 'last_owner'];
      expect([method, path, status, body.code]).toEqual([method, path, ...expected]);
    }
    // An owner who has not accepted yet, or is deactivated, is not one who could act.
    const invitation = { email: `later@${org}.example`, name: 'Later', roles: ['owner'] };
    expect((await owner.call('POST', '/users', invitation)).status).toBe(201);
    expect((await give(owner, owner)).body.code).toBe('last_owner');
  });

  it('of an owner is left to one of two, whatever both do to each other 50 times at once', async () => {
    expect((await give(owner, admin, 'owner')).status).toBe(200);
    const two = [owner, admin];
    const takes = Array.from({ length: 50 }, (_, i) => {
      const [by, from] = i % 2 === 0 ? [two[0]!, two[1]!] : [two[1]!, two[0]!];
      const at = `/users/${from.id}`;
      if (i % 3 === 0) return by.call('POST', `${at}/roles`, { roles: [] });
      return i % 3 === 1 ? by.call('POST', `${at}/deactivate`) : by.call('DELETE', at);
    });
    const replies = await Promise.all(takes);
    const codes = replies.map(({ status, body }) => `${status} ${body?.code ?? ''}`.trim());
    process.stdout.write(`Answers to the owners: ${[...new Set(codes)].sort().join(', ')}\n`);
    expect(codes.filter((code) => code.startsWith('2')).length).toBeGreaterThan(0);
    expect(codes.filter((code) => code.startsWith('5'))).toEqual([]);
    const owners = { role: 'owner', status: 'active', limit: 200 } as const;
    expect((await stack.request(listPeople, owners, org)).items).toHaveLength(1);
  });
});

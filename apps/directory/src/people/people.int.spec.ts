import { describe, expect, it } from '@jest/globals';
import { getPerson, invitePerson, listPeople } from '@holdfast/contracts';
import { SoftwareAuthenticator, testContext } from '@holdfast/testing';
import {
  acceptInvitation,
  database,
  eventOf,
  newPerson,
  operator,
  personContext,
  request,
  signInPerson,
  withDirectory,
} from '../directory.fixture.js';
import { insertApp, insertAssignment } from '../entitlements/people.fixture.js';

const codeOf = (code: string) => expect.objectContaining({ code });

describe('people', () => {
  withDirectory();

  it('an invited person is stored encrypted, is active after accepting, and the link accepts once', async () => {
    const context = testContext({ actor: operator });
    const given = { email: 'Zoe.Quartz@Example.com', name: 'Zoë Quartz', roles: ['admin' as const] };
    const { user, invitationUrl } = await request(invitePerson, given, 'operator', context);
    expect(user).toEqual({
      id: expect.any(String),
      ...given,
      status: 'invited',
      createdAt: expect.any(String),
      invitation: { expiresAt: expect.any(String), recovery: false, issuedBy: { type: 'operator' } },
    });
    expect(invitationUrl).toMatch(/^http:\/\/localhost\/o\/acme\/invitation#[A-Za-z0-9_-]{43}$/);
    expect(await eventOf(context.auditId)).toMatchObject({
      type: 'user.invited',
      user: user.id,
      version: 1,
      data: { user: user.id },
      audit: { action: 'user.invite', targets: [{ type: 'person', id: user.id, dataSubject: user.id }] },
    });
    const rows = await database.query<{ row: string }>('SELECT p::text AS row FROM directory.person p');
    expect(JSON.stringify(rows)).not.toMatch(/quartz|zo/i);

    const token = invitationUrl.split('#')[1]!;
    await acceptInvitation(token, new SoftwareAuthenticator());
    await expect(acceptInvitation(token, new SoftwareAuthenticator())).rejects.toEqual(codeOf('invitation_accepted'));
    const { invitation: _, ...accepted } = user;
    await expect(request(getPerson, { person: user.id })).resolves.toEqual({ ...accepted, status: 'active' });
    await expect(request(invitePerson, { email: 'ZOE.quartz@example.COM', name: 'Z' }, 'operator')).rejects.toEqual(
      codeOf('conflict'),
    );
  });

  it('are listed newest first and found by prefixes of their words', async () => {
    const { id } = await newPerson({ name: 'Öznur Straße', email: 'oz@sample.org', roles: ['support'] });
    const find = async (q: string) => (await request(listPeople, { q, limit: 10 })).items.map((user) => user.id);
    for (const q of ['öz', 'STRASSE', 'str ÖZNUR', 'oz@sample.org', 'oz@'])
      await expect(find(q)).resolves.toEqual([id]);
    for (const q of ['oznur', 'znur', 'sample']) await expect(find(q)).resolves.toEqual([]);
    await expect(request(listPeople, { role: 'support', status: 'active', limit: 5 })).resolves.toMatchObject({
      items: [{ id }],
    });
    const all = await request(listPeople, { limit: 1 });
    expect(all.items.map((user) => user.id)).toEqual([id]);
    const rest = await request(listPeople, { limit: 200, after: all.next! });
    expect(rest.items.map((user) => user.id)).not.toContain(id);
  });

  it('sign in to an app that they are assigned to', async () => {
    const { id, authenticator } = await newPerson();
    const clientId = await insertApp();
    await expect(signInPerson(authenticator, clientId)).resolves.toEqual({
      outcome: 'refused',
      reason: 'not_assigned',
      person: id,
    });
    await insertAssignment(clientId, id);
    await expect(signInPerson(authenticator, clientId)).resolves.toEqual({
      outcome: 'signed_in',
      person: id,
      version: 2,
      deviceBound: true,
    });
    await expect(request(getPerson, { person: id })).resolves.toMatchObject({ lastSignInAt: expect.any(String) });
  });

  it('an admin invites everybody but an owner, and somebody without the role nobody', async () => {
    const admin = await newPerson({ roles: ['admin'] });
    const auditor = await newPerson({ roles: ['auditor'] });
    const invite = (id: string, roles: ('owner' | 'admin')[]) =>
      request(invitePerson, { email: `by${id}@example.com`, name: 'X', roles }, 'gateway', personContext(id));
    await expect(invite(admin.id, ['owner'])).rejects.toEqual(codeOf('insufficient_role'));
    await expect(invite(auditor.id, [])).rejects.toEqual(codeOf('insufficient_role'));
    await expect(invite(admin.id, ['admin'])).resolves.toMatchObject({ user: { roles: ['admin'] } });
  });
});

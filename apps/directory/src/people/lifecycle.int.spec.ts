import { describe, expect, it } from '@jest/globals';
import {
  changeRoles,
  createOrganization,
  getPerson,
  invitePerson,
  listPeople,
  reissueInvitation,
  removePerson,
  setPersonActive,
  updatePerson,
  withdrawInvitation,
} from '@holdfast/contracts';
import { eventually, randomSequence, SoftwareAuthenticator, testContext } from '@holdfast/testing';
import {
  acceptInvitation,
  database,
  eventOf,
  events,
  newName,
  newPerson,
  operator,
  personContext,
  registerByInvitation,
  request,
  signInPerson,
  withDirectory,
} from '../directory.fixture.js';
import { insertApp, insertAssignment } from '../entitlements/people.fixture.js';

const codeOf = (code: string) => expect.objectContaining({ code });
const typesOf = (id: string) => events.filter((event) => event.user === id).map(({ type }) => type);
const tokenOf = ({ invitationUrl }: { invitationUrl: string }) => invitationUrl.split('#')[1]!;

describe('the life of a person', () => {
  withDirectory();

  it('a new link supersedes the earlier one, a withdrawn one is closed, and a new one accepts', async () => {
    const { id, token } = await newPerson({ accepts: false });
    const second = tokenOf(await request(reissueInvitation, { person: id }));
    await expect(acceptInvitation(token, new SoftwareAuthenticator())).rejects.toEqual(codeOf('invitation_withdrawn'));
    await request(withdrawInvitation, { person: id });
    await expect(acceptInvitation(second, new SoftwareAuthenticator())).rejects.toEqual(codeOf('invitation_withdrawn'));
    await expect(request(withdrawInvitation, { person: id })).rejects.toEqual(codeOf('invalid_state'));
    await acceptInvitation(tokenOf(await request(reissueInvitation, { person: id })), new SoftwareAuthenticator());
    await expect(request(getPerson, { person: id })).resolves.toMatchObject({ status: 'active' });
    await expect(acceptInvitation('x'.repeat(43), new SoftwareAuthenticator())).rejects.toEqual(
      codeOf('unknown_invitation'),
    );
  });

  it('of ten browsers that accept a link at once, one does', async () => {
    const { id, token } = await newPerson({ accepts: false });
    const results = await Promise.allSettled(
      Array.from({ length: 10 }, () => acceptInvitation(token, new SoftwareAuthenticator())),
    );
    expect(results.filter((r) => r.status === 'fulfilled')).toHaveLength(1);
    expect(results.flatMap((r) => (r.status === 'rejected' ? [(r.reason as { code: string }).code] : []))).toEqual(
      Array(9).fill('invitation_accepted'),
    );
    expect(await database.query('SELECT 1 FROM directory.person_passkey WHERE person_id = $1', [id])).toHaveLength(1);
  });

  it('a recovery replaces the passkeys when it is accepted, and ends tokens and sign-ins', async () => {
    const { id, authenticator } = await newPerson();
    const clientId = await insertApp();
    await insertAssignment(clientId, id);
    const link = await request(reissueInvitation, { person: id });
    expect(link.user).toMatchObject({ status: 'active', invitation: { recovery: true } });
    await expect(signInPerson(authenticator, clientId)).resolves.toMatchObject({ outcome: 'signed_in' });
    const replacement = new SoftwareAuthenticator();
    const { acceptedPasskeys } = await acceptInvitation(tokenOf(link), replacement);
    expect(acceptedPasskeys?.userId).toBe(authenticator.passkeys[0]!.userHandle);
    // Its browser may hide it.
    await expect(signInPerson(authenticator, clientId)).resolves.toEqual({
      outcome: 'refused',
      reason: 'unknown_passkey',
      removed: true,
    });
    await expect(signInPerson(replacement, clientId)).resolves.toMatchObject({ version: 4 });
    expect(
      await database.query('SELECT min_version, sign_ins_since_version AS since FROM directory.person WHERE id = $1', [
        id,
      ]),
    ).toEqual([{ min_version: 4, since: 4 }]);
    expect(
      (await database.query(`SELECT 1 FROM directory.access_change WHERE kind = 'person' AND id = $1`, [id])).length,
    ).toBeGreaterThan(0);
  });

  it('a recovery leaves the earlier passkey on the device and valid until it succeeds', async () => {
    const { id, authenticator } = await newPerson();
    const clientId = await insertApp();
    await insertAssignment(clientId, id);
    const [earlier] = authenticator.passkeys;
    const token = tokenOf(await request(reissueInvitation, { person: id }));
    // The response is lost.
    await registerByInvitation(token, authenticator);
    expect(authenticator.passkeys).toHaveLength(2);
    await expect(signInPerson(authenticator, clientId, { passkey: earlier!.id })).resolves.toMatchObject({
      outcome: 'signed_in',
    });
    await expect(signInPerson(authenticator, clientId)).resolves.toMatchObject({ removed: true });
    await acceptInvitation(token, authenticator);
    expect(authenticator.passkeys).toHaveLength(2);
    await expect(signInPerson(authenticator, clientId)).resolves.toMatchObject({ outcome: 'signed_in', person: id });
  });

  it('a deactivated person cannot sign in, and their link is closed; reactivated they are as before', async () => {
    const { id, authenticator } = await newPerson();
    const clientId = await insertApp();
    const link = tokenOf(await request(reissueInvitation, { person: id }));
    const context = testContext({ actor: operator });
    await request(setPersonActive, { person: id, active: false }, 'operator', context);
    expect(await eventOf(context.auditId)).toMatchObject({
      type: 'user.deactivated',
      audit: { action: 'user.deactivate', changes: { status: { from: 'active', to: 'deactivated' } } },
    });
    await expect(acceptInvitation(link, new SoftwareAuthenticator())).rejects.toEqual(codeOf('invitation_withdrawn'));
    await expect(signInPerson(authenticator, clientId)).resolves.toMatchObject({ reason: 'deactivated' });
    await expect(request(reissueInvitation, { person: id })).rejects.toEqual(codeOf('invalid_state'));
    // Nothing changes the second time.
    const events = typesOf(id).length;
    await request(setPersonActive, { person: id, active: false });
    expect(typesOf(id)).toHaveLength(events);
    await expect(request(setPersonActive, { person: id, active: true })).resolves.toMatchObject({
      user: { status: 'active' },
    });
    await expect(signInPerson(authenticator, clientId)).resolves.toMatchObject({ reason: 'not_assigned' });
    const invited = await newPerson({ accepts: false });
    await request(setPersonActive, { person: invited.id, active: false });
    await expect(request(setPersonActive, { person: invited.id, active: true })).resolves.toMatchObject({
      user: { status: 'invited' },
    });
  });

  it('a change of address and name is found by the new values only, and takes no address of another', async () => {
    const { id, email } = await newPerson({ name: 'Wanda Xylo' });
    const other = await newPerson();
    const changed = await request(updatePerson, { person: id, email: 'w.x@example.net', name: 'Wilma Xylo' });
    expect(changed.user).toMatchObject({ email: 'w.x@example.net', name: 'Wilma Xylo' });
    const found = async (q: string) => (await request(listPeople, { q, limit: 5 })).items.map((user) => user.id);
    await expect(Promise.all(['wilma', 'w.x@', 'wanda', email].map(found))).resolves.toEqual([[id], [id], [], []]);
    await expect(request(updatePerson, { person: id, email: other.email.toUpperCase() })).rejects.toEqual(
      codeOf('conflict'),
    );
    await expect(request(invitePerson, { email: other.email, name: 'X' })).rejects.toEqual(codeOf('conflict'));
    await expect(newPerson({ email })).resolves.toBeDefined();
  });

  it('a removed person is gone with everything, and every service confirms before user.removed', async () => {
    const { id } = await newPerson();
    const context = testContext({ actor: operator });
    const key = { idempotencyKey: newName('key') };
    await request(removePerson, { person: id, ...key }, 'operator', context);
    await expect(request(getPerson, { person: id })).rejects.toEqual(codeOf('unknown_user'));
    await expect(request(removePerson, { person: id })).rejects.toEqual(codeOf('unknown_user'));
    await expect(request(removePerson, { person: id, ...key }, 'operator', context)).resolves.toEqual({
      replayed: {},
    });
    await eventually(() => typesOf(id).includes('user.removed'));
    expect(typesOf(id).slice(-2)).toEqual(['user.erasure_started', 'user.removed']);
    expect(await eventOf(context.auditId)).toMatchObject({
      audit: { action: 'user.remove', targets: [{ type: 'person', id, dataSubject: id }] },
    });
    for (const table of ['person', 'person_search_token', 'person_passkey', 'invitation', 'challenge', 'idempotency'])
      expect(
        await eventually(async () => {
          const rows = await database.query<{ row: string }>(`SELECT t::text AS row FROM directory.${table} t`);
          return !JSON.stringify(rows).includes(id);
        }),
      ).toBe(true);
    await eventually(
      async () => (await database.query(`SELECT 1 FROM directory.outbox WHERE aggregate = $1`, [id])).length === 0,
    );
  });

  it('an admin may not touch an owner, nor give themselves a role; an owner may demote another', async () => {
    const owners = [await newPerson({ roles: ['owner'] }), await newPerson({ roles: ['owner'] })] as const;
    const [admin, auditor] = [await newPerson({ roles: ['admin'] }), await newPerson({ roles: ['auditor'] })];
    const target = { person: owners[0].id };
    const as = (id: string) => ['gateway', personContext(id)] as const;
    const denied = [
      () => request(changeRoles, { ...target, roles: [] }, ...as(admin.id)),
      () => request(changeRoles, { ...target, roles: ['owner', 'admin'] }, ...as(admin.id)),
      () => request(changeRoles, { person: auditor.id, roles: ['owner'] }, ...as(admin.id)),
      () => request(changeRoles, { person: admin.id, roles: ['admin', 'auditor'] }, ...as(admin.id)),
      () => request(changeRoles, { person: auditor.id, roles: ['auditor', 'admin'] }, ...as(auditor.id)),
      () => request(setPersonActive, { ...target, active: false }, ...as(admin.id)),
      () => request(removePerson, target, ...as(admin.id)),
      () => request(reissueInvitation, target, ...as(admin.id)),
      () => request(withdrawInvitation, target, ...as(admin.id)),
      () => request(updatePerson, { ...target, email: 'takeover@example.com' }, ...as(admin.id)),
      () => request(removePerson, target, ...as(auditor.id)),
    ];
    for (const attempt of denied) await expect(attempt()).rejects.toEqual(codeOf('insufficient_role'));
    await expect(
      request(changeRoles, { person: auditor.id, roles: ['support'] }, ...as(admin.id)),
    ).resolves.toBeDefined();
    const context = personContext(owners[1].id);
    await request(changeRoles, { ...target, roles: ['support', 'admin'] }, 'gateway', context);
    expect(await eventOf(context.auditId)).toMatchObject({
      type: 'role.changed',
      data: { user: target.person, roles: ['admin', 'support'] },
      audit: { actor: { type: 'person', id: owners[1].id }, changes: { roles: { from: ['owner'] } } },
    });
    await expect(request(changeRoles, { person: owners[1].id, roles: [] })).rejects.toEqual(codeOf('last_owner'));
    await expect(request(setPersonActive, { person: owners[1].id, active: false })).rejects.toEqual(
      codeOf('last_owner'),
    );
    await expect(request(removePerson, { person: owners[1].id })).rejects.toEqual(codeOf('last_owner'));
  });

  it('fifty concurrent demotions, removals and deactivations of two owners leave one', async () => {
    const org = 'race';
    const seed = Number(process.env.RACE_SEED ?? Date.now() % 1_000_000);
    process.stdout.write(`Repeat it with RACE_SEED=${seed}\n`);
    const random = randomSequence(seed);
    await request(createOrganization, { shortId: org, name: 'Race' });
    const owners = [await newPerson({ org, roles: ['owner'] }), await newPerson({ org, roles: ['owner'] })];
    const context = () => testContext({ org, actor: operator });
    const results = await Promise.allSettled(
      Array.from({ length: 50 }, () => {
        const person = owners[random(2)]!.id;
        const kind = random(3);
        if (kind === 0) return request(changeRoles, { person, roles: [] }, 'operator', context());
        if (kind === 1) return request(setPersonActive, { person, active: false }, 'operator', context());
        return request(removePerson, { person }, 'operator', context());
      }),
    );
    const left = await database.query(
      `SELECT 1 FROM directory.person WHERE org = $1 AND status = 'active' AND 'owner' = ANY (roles)`,
      [org],
    );
    expect(left).toHaveLength(1);
    const codes = new Set(
      results.flatMap((r) => (r.status === 'rejected' ? [(r.reason as { code: string }).code] : [])),
    );
    expect([...codes].filter((code) => code !== 'last_owner' && code !== 'unknown_user')).toEqual([]);
    expect(codes).toContain('last_owner');
  });
});

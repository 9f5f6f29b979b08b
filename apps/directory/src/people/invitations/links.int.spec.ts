import { describe, expect, it } from '@jest/globals';
import {
  changeRoles,
  getInvitation,
  getPerson,
  invitePerson,
  reissueInvitation,
  removePerson,
  setPersonActive,
  suspendOrganization,
  withdrawInvitation,
  type Role,
} from '@holdfast/contracts';
import { randomSequence, SoftwareAuthenticator, testContext } from '@holdfast/testing';
import {
  acceptInvitation,
  database,
  eventOf,
  newName,
  newPerson,
  operator,
  personContext,
  request,
  withDirectory,
} from '../../directory.fixture.js';

withDirectory();

const codeOf = (code: string) => expect.objectContaining({ code });
const tokenOf = ({ invitationUrl }: { invitationUrl: string }) => invitationUrl.split('#')[1]!;
const accept = (token: string) => acceptInvitation(token, new SoftwareAuthenticator());
const stateOf = async (token: string) => (await request(getInvitation, { token }, 'gateway')).state;
const recover = async (issuer: string, person: string) =>
  tokenOf(await request(reissueInvitation, { person }, 'gateway', personContext(issuer)));

/** A link of each kind that this person issues, to somebody with these roles. */
const kinds = {
  async invitation(issuer: string, roles: Role[]) {
    const given = { email: `${newName('x').replace(' ', '')}@example.com`, name: 'X', roles };
    const invited = await request(invitePerson, given, 'gateway', personContext(issuer));
    return { target: invited.user.id, token: tokenOf(invited) };
  },
  async recovery(issuer: string, roles: Role[]) {
    const { id } = await newPerson({ roles });
    return { target: id, token: await recover(issuer, id) };
  },
};
const kindNames = Object.keys(kinds) as (keyof typeof kinds)[];

/** Each way in which the right to issue a link ends. The link was issued by an admin or owner to a support. */
const ends: Record<string, (of: { issuer: string; target: string }) => Promise<unknown>> = {
  'the person becomes an owner': ({ target }) => request(changeRoles, { person: target, roles: ['owner'] }),
  'the person becomes an admin': ({ target }) => request(changeRoles, { person: target, roles: ['admin'] }),
  'the person loses their roles': ({ target }) => request(changeRoles, { person: target, roles: [] }),
  'the roles of the person change and change back': async ({ target }) => {
    await request(changeRoles, { person: target, roles: ['admin'] });
    await request(changeRoles, { person: target, roles: ['support'] });
  },
  'the person is deactivated': ({ target }) => request(setPersonActive, { person: target, active: false }),
  'the person is deactivated and reactivated': async ({ target }) => {
    await request(setPersonActive, { person: target, active: false });
    await request(setPersonActive, { person: target, active: true });
  },
  'the issuer loses the role': ({ issuer }) => request(changeRoles, { person: issuer, roles: ['auditor'] }),
  'the issuer loses the role and gets it back': async ({ issuer }) => {
    await request(changeRoles, { person: issuer, roles: [] });
    await request(changeRoles, { person: issuer, roles: ['admin'] });
  },
  'the issuer is deactivated': ({ issuer }) => request(setPersonActive, { person: issuer, active: false }),
  'the issuer is deactivated and reactivated': async ({ issuer }) => {
    await request(setPersonActive, { person: issuer, active: false });
    await request(setPersonActive, { person: issuer, active: true });
  },
  'the issuer is removed': ({ issuer }) => request(removePerson, { person: issuer }),
};

describe.each(kindNames)('a link: %s', (kind) => {
  it.each(Object.keys(ends))('cannot be accepted when %s', async (end) => {
    await newPerson({ roles: ['owner'] });
    const { id: issuer } = await newPerson({ roles: ['admin'] });
    const { target, token } = await kinds[kind](issuer, ['support']);
    expect(await stateOf(token)).toBe('open');
    await ends[end]!({ issuer, target });
    expect(await stateOf(token)).toBe('withdrawn');
    await expect(accept(token)).rejects.toEqual(codeOf('invitation_withdrawn'));
    expect(await request(getPerson, { person: target })).not.toHaveProperty('invitation');
  });

  it('is unknown while the organization is suspended', async () => {
    const { id: issuer } = await newPerson({ roles: ['admin'] });
    const { token } = await kinds[kind](issuer, []);
    await request(suspendOrganization, { shortId: 'acme', suspended: true });
    await expect(accept(token)).rejects.toEqual(codeOf('unknown_invitation'));
    await request(suspendOrganization, { shortId: 'acme', suspended: false });
    await accept(token);
  });

  it('is shown with its issuer, who stays able to issue it as an admin instead of an owner', async () => {
    const { id: issuer } = await newPerson({ roles: ['owner'] });
    await newPerson({ roles: ['owner'] });
    const [plain, owner] = [await kinds[kind](issuer, ['support']), await kinds[kind](issuer, ['owner'])];
    const context = testContext({ actor: operator });
    await request(changeRoles, { person: issuer, roles: ['admin'] }, 'operator', context);
    expect((await eventOf(context.auditId)).audit!.changes).toMatchObject({ linksWithdrawn: { to: 1 } });
    await expect(accept(owner.token)).rejects.toEqual(codeOf('invitation_withdrawn'));
    expect((await request(getPerson, { person: plain.target })).invitation).toMatchObject({
      issuedBy: { type: 'person', id: issuer },
    });
    await accept(plain.token);
  });

  it('of a removed issuer names nobody', async () => {
    const { id: issuer } = await newPerson({ roles: ['admin'] });
    await kinds[kind](issuer, []);
    await request(removePerson, { person: issuer });
    const rows = await database.query<{ row: string }>('SELECT i::text AS row FROM directory.invitation i');
    expect(JSON.stringify(rows)).not.toContain(issuer);
  });
});

describe('a link', () => {
  it('of the operator is valid until the roles of the person change', async () => {
    const { id } = await newPerson();
    const first = await request(reissueInvitation, { person: id });
    expect(first.user.invitation).toMatchObject({ issuedBy: { type: 'operator' } });
    await request(changeRoles, { person: id, roles: ['support'] });
    await expect(accept(tokenOf(first))).rejects.toEqual(codeOf('invitation_withdrawn'));
    await accept(tokenOf(await request(reissueInvitation, { person: id })));
  });

  it('is withdrawn by another admin than the one who issued it', async () => {
    const [issuer, other] = [await newPerson({ roles: ['admin'] }), await newPerson({ roles: ['admin'] })];
    const { target, token } = await kinds.recovery(issuer.id, []);
    await request(withdrawInvitation, { person: target }, 'gateway', personContext(other.id));
    await expect(accept(token)).rejects.toEqual(codeOf('invitation_withdrawn'));
  });

  it('is refused by what is stored, even if a change of roles or of the issuer has left it open', async () => {
    const invitation = (set: string) => `UPDATE directory.invitation SET ${set} WHERE person_id = $1 AND $2::uuid > $3`;
    const person = (of: '$1' | '$2', set: string) =>
      `UPDATE directory.person SET ${set} WHERE id = ${of} AND ($1::uuid, $2::uuid) > ($3, $3)`;
    const statements = {
      'from before the upgrade': invitation('issued_by_type = NULL, issued_by = NULL, person_roles = NULL'),
      'without the roles that the person had': invitation('person_roles = NULL'),
      'without the kind of its issuer': invitation('issued_by_type = NULL'),
      'of an issuer who is gone': invitation('issued_by = NULL'),
      'to a person with other roles': person('$1', `roles = '{support,admin}'`),
      'to a deactivated person': person('$1', `status = 'deactivated'`),
      'of an issuer without the role': person('$2', `roles = '{auditor}'`),
      'of an issuer who is deactivated': person('$2', `status = 'deactivated'`),
    };
    for (const [name, sql] of Object.entries(statements)) {
      const { id: issuer } = await newPerson({ roles: ['admin'] });
      const { target, token } = await kinds.recovery(issuer, ['support']);
      await database.query(sql, [target, issuer, '00000000-0000-0000-0000-000000000000']);
      expect([name, await stateOf(token)]).toEqual([name, 'withdrawn']);
      await expect(accept(token)).rejects.toEqual(codeOf('invitation_withdrawn'));
    }
  });

  it('is accepted or ended by a change of rights at the same time, never both', async () => {
    const seed = Number(process.env.RACE_SEED ?? Date.now() % 1_000_000);
    process.stdout.write(`Repeat it with RACE_SEED=${seed}\n`);
    const random = randomSequence(seed);
    const later = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms));
    await newPerson({ roles: ['owner'] });
    const outcomes: string[] = [];
    for (let round = 0; round < 16; round += 1) {
      const { id: issuer } = await newPerson({ roles: ['admin'] });
      const { target, token } = await kinds[kindNames[random(kindNames.length)]!](issuer, ['support']);
      const context = testContext({ actor: operator });
      const end = [
        () => request(changeRoles, { person: target, roles: ['owner'] }, 'operator', context),
        () => request(changeRoles, { person: issuer, roles: [] }, 'operator', context),
        () => request(removePerson, { person: issuer }, 'operator', context),
      ][random(3)]!;
      const [acceptDelay, endDelay] = [random(12), random(30)];
      const [accepted, ended] = await Promise.allSettled([
        later(acceptDelay).then(() => accept(token)),
        later(endDelay).then(end),
      ]);
      expect(ended).toMatchObject({ status: 'fulfilled' });
      const { linksWithdrawn } = (await eventOf(context.auditId)).audit!.changes ?? {};
      expect([round, accepted.status === 'fulfilled']).toEqual([round, linksWithdrawn === undefined]);
      if (accepted.status === 'rejected') expect(accepted.reason).toMatchObject({ code: 'invitation_withdrawn' });
      const { status } = await request(getPerson, { person: target });
      if (accepted.status === 'fulfilled') expect(status).toBe('active');
      outcomes.push(accepted.status);
    }
    process.stdout.write(`${outcomes.filter((outcome) => outcome === 'fulfilled').length} of 16 were accepted\n`);
  });
});

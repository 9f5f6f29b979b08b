import { describe, expect, it } from '@jest/globals';
import {
  beginPasskeyAddition,
  completePasskeyAddition,
  listPersonPasskeys,
  reissueInvitation,
  removePersonPasskey,
  renamePersonPasskey,
} from '@holdfast/contracts';
import { SoftwareAuthenticator } from '@holdfast/testing';
import {
  database,
  eventOf,
  newPerson,
  origin,
  personContext,
  request,
  signInPerson,
  withDirectory,
} from '../../directory.fixture.js';
import { insertApp, insertAssignment } from '../../entitlements/people.fixture.js';

const codeOf = (code: string) => expect.objectContaining({ code });

async function add(id: string, authenticator: SoftwareAuthenticator, name?: string) {
  const begun = await request(beginPasskeyAddition, { organizationName: 'Acme' }, 'gateway', personContext(id));
  const response = authenticator.register(begun.options, { origin });
  const context = personContext(id);
  return {
    ...begun,
    response,
    context,
    ...(await request(completePasskeyAddition, { response, ...(name && { name }) }, 'gateway', context)),
  };
}
const list = async (person: string) => (await request(listPersonPasskeys, { person })).items;

describe('passkeys of a person', () => {
  withDirectory();

  it('are added by the person themselves, once for each ceremony, and sign in', async () => {
    const { id, authenticator } = await newPerson();
    const other = await newPerson();
    const second = new SoftwareAuthenticator({ synced: true });
    const added = await add(id, second, 'Phone');
    expect(added.options).toMatchObject({ excludeCredentials: [{ id: authenticator.passkeys[0]!.id }] });
    expect(added.passkey).toMatchObject({ name: 'Phone', synced: true });
    expect(await eventOf(added.context.auditId)).toMatchObject({
      type: 'user.updated',
      audit: { action: 'passkey.add', actor: { type: 'person', id } },
    });
    const again = { response: added.response };
    await expect(request(completePasskeyAddition, again, 'gateway', personContext(id))).rejects.toEqual(
      codeOf('ceremony_expired'),
    );
    const foreign = await request(beginPasskeyAddition, { organizationName: 'A' }, 'gateway', personContext(id));
    const response = new SoftwareAuthenticator().register(foreign.options, { origin });
    await expect(request(completePasskeyAddition, { response }, 'gateway', personContext(other.id))).rejects.toEqual(
      codeOf('ceremony_expired'),
    );
    expect((await list(id)).map(({ name }) => name)).toEqual(['Passkey', 'Phone']);

    const clientId = await insertApp();
    await insertAssignment(clientId, id);
    for (const one of [authenticator, second])
      await expect(signInPerson(one, clientId)).resolves.toMatchObject({ outcome: 'signed_in', person: id });
    // A copied passkey is noticed by its counter.
    await expect(signInPerson(authenticator, clientId, { counter: 1 })).resolves.toEqual({
      outcome: 'refused',
      reason: 'counter_went_back',
      person: id,
    });
    // A provider that no longer counts is not.
    await expect(signInPerson(authenticator, clientId, { counter: 0 })).resolves.toMatchObject({
      outcome: 'signed_in',
      counterWentBack: true,
    });
  });

  it('are renamed and removed, but never the only one of an active person', async () => {
    const { id } = await newPerson();
    const other = await newPerson();
    const [first] = await list(id);
    const second = (await add(id, new SoftwareAuthenticator())).passkey;
    const own = ['gateway', personContext(id)] as const;
    const renamed = { person: id, passkey: second.id, name: ' Laptop ' };
    await expect(request(renamePersonPasskey, renamed, ...own)).resolves.toMatchObject({ passkey: { name: 'Laptop' } });
    await expect(request(renamePersonPasskey, renamed, 'gateway', personContext(other.id))).rejects.toEqual(
      codeOf('insufficient_role'),
    );
    await expect(request(removePersonPasskey, { person: other.id, passkey: second.id })).rejects.toEqual(
      codeOf('unknown_passkey'),
    );
    await request(removePersonPasskey, { person: id, passkey: first!.id }, 'gateway', personContext(id));
    await expect(request(removePersonPasskey, { person: id, passkey: second.id })).rejects.toEqual(
      codeOf('invalid_state'),
    );
    expect((await list(id)).map((passkey) => passkey.id)).toEqual([second.id]);
    expect(
      await database.query('SELECT min_version = version AS ended FROM directory.person WHERE id = $1', [id]),
    ).toEqual([{ ended: true }]);
    await expect(request(reissueInvitation, { person: id })).resolves.toBeDefined();
  });

  it('of two concurrent removals of two passkeys one stays', async () => {
    const { id } = await newPerson();
    await add(id, new SoftwareAuthenticator());
    const both = await list(id);
    const results = await Promise.allSettled(
      both.map(({ id: passkey }) => request(removePersonPasskey, { person: id, passkey })),
    );
    expect(results.map((r) => r.status).sort()).toEqual(['fulfilled', 'rejected']);
    expect(await list(id)).toHaveLength(1);
  });
});

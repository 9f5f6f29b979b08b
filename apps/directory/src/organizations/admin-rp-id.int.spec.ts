import { expect, test } from '@jest/globals';
import {
  adminChangeRpId,
  adminEndRpIdMove,
  createOrganization,
  organizationProfile,
  type RequestContext,
} from '@holdfast/contracts';
import { testContext } from '@holdfast/testing';
import { database, eventOf, newPerson, request, withDirectory } from '../directory.fixture.js';

withDirectory('https://login.id.example');

const profile = async (shortId: string) => (await request(organizationProfile, { shortId }, 'auth')).relyingParty;
const change = (rpId: string | null, context: RequestContext) => request(adminChangeRpId, { rpId }, 'gateway', context);
const end = (context: RequestContext) => request(adminEndRpIdMove, {}, 'gateway', context);
/** An active owner with a passkey of this RP ID. */
async function ownerWith(org: string, rpId: string): Promise<string> {
  const { id } = await newPerson({ org, roles: ['owner'], accepts: false });
  await database.query(`UPDATE directory.person SET status = 'active' WHERE id = $1`, [id]);
  await givePasskey(org, id, rpId);
  return id;
}

const givePasskey = (org: string, person: string, rpId: string) =>
  database.query(
    `INSERT INTO directory.person_passkey (id, org, person_id, credential_id, name, public_key, counter, transports,
       aaguid, device_type, backed_up, rp_id, created_at)
     VALUES (gen_random_uuid(), $1, $2, gen_random_uuid(), 'Key', '', 0, '{}', gen_random_uuid(), 'singleDevice', false,
       $3, now())`,
    [org, person, rpId],
  );

test('an owner moves their organization, and ends the move once an owner can sign in with the new RP ID', async () => {
  await request(createOrganization, { shortId: 'hooli', name: 'Hooli' });
  const owner = await ownerWith('hooli', 'login.id.example');
  const by = () => testContext({ org: 'hooli', actor: { type: 'person', id: owner } });
  const begun = by();
  expect((await change('id.example', begun)).rpId).toEqual({
    ...{ rpId: 'id.example', ofDeployment: false, earlier: 'login.id.example' },
  });
  expect((await eventOf(begun.auditId)).audit).toMatchObject({
    action: 'organization.update',
    actor: { type: 'person', id: owner },
    changes: { relyingParty: { from: {}, to: { rpId: 'id.example', earlier: {} } } },
  });

  await expect(end(by())).rejects.toMatchObject({ code: 'invalid_state', message: expect.stringMatching(/No active/) });
  expect(await profile('hooli')).toEqual({ rpId: 'id.example', earlier: {} });
  await expect(change('example.org', by())).rejects.toMatchObject({ code: expect.stringMatching(/^invalid_/) });

  // That of an admin is not enough.
  const { id: admin } = await newPerson({ org: 'hooli', roles: ['admin'], accepts: false });
  await database.query(`UPDATE directory.person SET status = 'active' WHERE id = $1`, [admin]);
  await givePasskey('hooli', admin, 'id.example');
  await expect(end(by())).rejects.toMatchObject({ code: 'invalid_state' });

  await givePasskey('hooli', owner, 'id.example');
  expect((await end(by())).rpId).toEqual({ rpId: 'id.example', ofDeployment: false });
  expect(await profile('hooli')).toEqual({ rpId: 'id.example' });
  await expect(end(by())).rejects.toMatchObject({ code: 'invalid_state' });

  // Back to that of the deployment, by its name.
  expect((await change('login.id.example', by())).rpId).toEqual({
    ...{ rpId: 'login.id.example', ofDeployment: true, earlier: 'id.example' },
  });
});

test('ten changes at once move once', async () => {
  await request(createOrganization, { shortId: 'initech', name: 'Initech' });
  const owner = await ownerWith('initech', 'login.id.example');
  const outcomes = await Promise.all(
    Array.from({ length: 10 }, () =>
      change('id.example', testContext({ org: 'initech', actor: { type: 'person', id: owner } })).then(
        () => 'changed',
        ({ code }: { code: string }) => code,
      ),
    ),
  );
  expect(outcomes.sort()).toEqual(['changed', ...Array<string>(9).fill('invalid_state')]);
});

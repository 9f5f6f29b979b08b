// Settings of an organization that people change at the hub: credential types and proof of presence.
import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { roleNames, type CredentialType } from '@holdfast/contracts';
import { eventually } from '@holdfast/testing';
import { Client } from '../clients/client.ts';
import { closeConnections, type Problem } from '../clients/http.ts';
import { customerScopes, stack } from '../clients/under-test.ts';
import { HubUser } from './person.fixture.ts';

let org: string;
let owner: HubUser;
let shop: Client;
beforeAll(async () => {
  org = await stack.newOrganization();
  owner = await HubUser.make(org, ['owner']);
  shop = new Client(stack, await stack.newApp(org, 'shop', customerScopes));
});
afterAll(closeConnections);

const outcome = ({ status, body }: { status: number; body: unknown }) =>
  `${status} ${(body as Problem | undefined)?.code ?? ''}`.trim();
const types = async (caller: HubUser) =>
  (await caller.call<{ items: CredentialType[] }>('GET', '/credential-types')).body.items;

it('an owner makes a credential type, of which apps then make offers, and changes it', async () => {
  const member = { name: 'member', display: 'Member', validity: 'P1Y', renewalWindow: 'P30D', maxPasskeys: 2 };
  const created = await owner.call<CredentialType>('POST', '/credential-types', member);
  expect(created.status).toBe(201);
  expect(created.body).toMatchObject({ ...member, revocable: true, isDefault: false });
  expect(outcome(await owner.call('POST', '/credential-types', member))).toBe('409 conflict');
  expect((await shop.offer({ credentialType: 'member' })).body).toMatchObject({ credentialType: 'member' });
  const read = await shop.call<{ items: CredentialType[] }>('GET', `${shop.api}/admin/credential-types`);
  expect(read.body.items.map(({ name }) => name)).toEqual(['customer', 'member']);

  const changed = await owner.call<CredentialType>('PATCH', '/credential-types/member', {
    ...{ validity: null, renewalWindow: null, isDefault: true },
  });
  expect(changed.body).toMatchObject({ name: 'member', display: 'Member', isDefault: true });
  expect('validity' in changed.body).toBe(false);
  expect((await types(owner)).filter(({ isDefault }) => isDefault).map(({ name }) => name)).toEqual(['member']);
  for (const [body, expected] of [
    [{ validity: 'a year' }, '422 invalid_request'],
    [{ maxPasskeys: 11 }, '422 invalid_request'],
    [{ isDefault: false }, '422 invalid_request'],
    [{ name: 'other' }, '422 invalid_request'],
    [{ renewalWindow: 'P1D' }, '422 invalid_request'],
  ] as const)
    expect([body, outcome(await owner.call('PATCH', '/credential-types/member', body))]).toEqual([body, expected]);
  expect(outcome(await owner.call('PATCH', '/credential-types/none', { display: 'X' }))).toBe(
    '422 unknown_credential_type',
  );
});

it('other roles read the types at most, and change nothing', async () => {
  for (const role of roleNames.filter((name) => name !== 'owner' && name !== 'admin')) {
    const person = await HubUser.make(org, [role]);
    const read = outcome(await person.call('GET', '/credential-types'));
    expect([role, read]).toEqual([role, role === 'approver' ? '403 insufficient_scope' : '200']);
    for (const [method, path, body] of [
      ['POST', '/credential-types', { name: 'x', display: 'X' }],
      ['PATCH', '/credential-types/customer', { revocable: false }],
      ['GET', '/presence', undefined],
      ['PATCH', '/presence', { policy: 'required' }],
    ] as const)
      expect(outcome(await person.call(method, path, body))).toBe('403 insufficient_scope');
  }
  expect(outcome(await shop.call('GET', `${shop.api}/admin/presence`))).toBe('403 insufficient_scope');
});

it('an owner requires a proof of presence, and no response has the secret of Turnstile', async () => {
  const secret = 'turnstile-secret-of-nobody';
  const set = await owner.call('PATCH', '/presence', { policy: 'required', turnstileSecret: secret });
  expect([set.status, set.body]).toEqual([200, { policy: 'required', turnstile: true }]);
  await eventually(async () => expect(outcome(await shop.offer())).toBe('422 presence_required'));
  expect((await owner.call('GET', '/presence')).body).toEqual({ policy: 'required', turnstile: true });
  const { body } = await owner.call<{ items: object[] }>(
    'GET',
    '/audit/events?action=presence.configure&outcome=success',
  );
  expect(body.items).toHaveLength(1);
  expect(JSON.stringify(body)).not.toContain(secret);
  const removed = await owner.call('PATCH', '/presence', { policy: 'optional', turnstileSecret: null });
  expect(removed.body).toEqual({ policy: 'optional', turnstile: false });
  await eventually(async () => expect(outcome(await shop.offer())).toBe('201'));
});

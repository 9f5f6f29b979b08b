// What an app prepared ends with the right that prepared it (product §4): offers to customers.
import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, expect, it } from '@jest/globals';
import type { Offer, OpenOffer } from '@holdfast/contracts';
import { eventually, SoftwareAuthenticator } from '@holdfast/testing';
import { Client } from '../clients/client.ts';
import { closeConnections, type Problem } from '../clients/http.ts';
import { customerScopes, stack } from '../clients/under-test.ts';
import { HubUser } from '../people/person.fixture.ts';
import { claim, readClaim, tokenOf } from '../sign-in/customer.fixture.ts';

let org: string;
let owner: HubUser;
beforeAll(async () => {
  org = await stack.newOrganization();
  owner = await HubUser.make(org, ['owner']);
});
afterAll(closeConnections);

const newClient = async () => new Client(stack, await stack.newApp(org, `app-${randomUUID()}`, customerScopes));
const offered = async (client: Client, body: object = {}): Promise<Offer & { token: string }> => {
  const { status, body: offer } = await client.offer(body);
  expect(status).toBe(201);
  return { ...offer, token: tokenOf(offer.claimUrl) };
};
const openOffersOf = async ({ app }: Client) =>
  (await owner.call<{ items: OpenOffer[] }>('GET', `/offers?app=${app.clientId}`)).body.items;
const stateOf = async (token: string) => (await readClaim<{ state: string }>(org, token)).body.state;

it.each([
  [
    'disabled',
    (id: string) => stack.operator('app', 'disable', id),
    (id: string) => stack.operator('app', 'enable', id),
  ],
  [
    'without offers:write',
    (id: string) => stack.operator('grant', 'remove', id, 'offers:write'),
    (id: string) => stack.operator('grant', 'add', id, 'offers:write'),
  ],
])(
  'an offer whose app is %s cannot be claimed within a second, nor when the right returns',
  async (_, end, giveBack) => {
    const client = await newClient();
    const { token } = await offered(client);
    await end(client.app.clientId);
    await eventually(async () => (await stateOf(token)) === 'withdrawn');
    const refused = await claim(org, token, new SoftwareAuthenticator());
    expect([refused.status, refused.body.code]).toEqual([410, 'claim_withdrawn']);
    await eventually(async () => (await openOffersOf(client)).length === 0);
    await giveBack(client.app.clientId);
    expect(await stateOf(token)).toBe('withdrawn');
  },
);

it('a person who may change grants sees and withdraws the open offers of every app; a program may not', async () => {
  const client = await newClient();
  const { token, offerId } = await offered(client);
  expect(await openOffersOf(client)).toMatchObject([{ offerId, maker: { type: 'app', id: client.app.clientId } }]);
  const approver = await HubUser.make(org, ['approver']);
  const denied = await approver.call<Problem>('GET', '/offers');
  expect([denied.status, denied.body.code]).toEqual([403, 'insufficient_scope']);
  const program = new Client(stack, await stack.newApp(org, 'program', ['apps:manage'], 'service'), ['apps:manage']);
  expect((await program.call('GET', `/o/${org}/api/admin/offers`)).status).toBe(403);
  expect((await owner.call('DELETE', `/offers/${offerId}`)).status).toBe(204);
  expect(await stateOf(token)).toBe('withdrawn');
  const other = await offered(client);
  expect(await stack.operator('offer', 'list', org)).toEqual(
    expect.arrayContaining([expect.objectContaining({ offerId: other.offerId })]),
  );
  await stack.operator('offer', 'withdraw', org, other.offerId);
  expect(await stateOf(other.token)).toBe('withdrawn');
});

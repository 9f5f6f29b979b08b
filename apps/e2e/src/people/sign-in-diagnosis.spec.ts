// Why a customer can or cannot sign in, over the life of one: at the API, for people, and at the command line.
import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, expect, it } from '@jest/globals';
import type { AuditEvent, Offer, SignInDiagnosis } from '@holdfast/contracts';
import { eventually, SoftwareAuthenticator } from '@holdfast/testing';
import { Client } from '../clients/client.ts';
import { closeConnections, type Problem } from '../clients/http.ts';
import { customerScopes, stack } from '../clients/under-test.ts';
import { beginSignIn, claim, completeSignIn, newCustomer, tokenOf } from '../sign-in/customer.fixture.ts';
import { RelyingParty } from '../sign-in/relying-party.fixture.ts';
import { UserAgent } from '../sign-in/user-agent.ts';
import { HubUser } from './person.fixture.ts';

let org: string;
let shop: RelyingParty;
let client: Client;
let support: HubUser;
beforeAll(async () => {
  org = await stack.newOrganization();
  shop = await RelyingParty.make(org, 'shop', { grants: customerScopes });
  client = new Client(stack, shop.app);
  support = await HubUser.make(org, ['support']);
});
afterAll(closeConnections);

const diagnose = (subject: string, by = support) =>
  by.customers<SignInDiagnosis & Problem>('GET', `/subjects/${subject}/sign-in-diagnosis`);
const stateOf = async (subject: string) => (await diagnose(subject)).body.state;
const change = (credentialId: string, verb: string, body = {}) =>
  support.customers('POST', `/issued/${credentialId}/${verb}`, body);

it('names the state of a customer from the offer to the erasure', async () => {
  const { body: offer } = await client.offer<Offer>();
  const { subject, credentialId } = offer;
  expect((await diagnose(subject)).body).toMatchObject({
    state: 'offer_open',
    at: offer.expiresAt,
    credentialId,
    attempts: [],
    customer: { subject, app: shop.app.clientId, claimed: false },
  });
  const authenticator = new SoftwareAuthenticator();
  await claim(org, tokenOf(offer.claimUrl), authenticator);
  expect(await stateOf(subject)).toBe('never_signed_in');
  await shop.signIn(authenticator);
  const { body: signedIn } = await diagnose(subject);
  expect(signedIn).toMatchObject({ state: 'signs_in', attempts: [{ app: shop.app.clientId, result: 'success' }] });
  expect(signedIn).toHaveProperty('customer.credentials.0.holders.length', 1);
  await change(credentialId, 'suspend');
  expect((await diagnose(subject)).body).toMatchObject({ state: 'suspended', credentialId });
  await change(credentialId, 'resume');
  expect(await stateOf(subject)).toBe('signs_in');
  await client.call('POST', `${client.api}/credentials/issued/${credentialId}/revoke`, { json: { reason: 'lost' } });
  expect((await diagnose(subject)).body).toMatchObject({
    state: 'revoked',
    explanation: 'The credential was revoked (lost).',
    attempts: [{ result: 'success' }],
  });
  await client.call('DELETE', `${client.api}/credentials/subjects/${subject}`);
  expect((await diagnose(subject)).body.code).toBe('unknown_subject');
});

it('names the refused attempt of a customer whose credential is of another type than the app requires', async () => {
  await stack.operator('type', 'create', org, 'gold');
  const lounge = await RelyingParty.make(org, 'lounge');
  await stack.operator('app', 'update', lounge.app.clientId, '--credential-type', 'gold');
  const { subject, authenticator } = await newCustomer(client);
  await eventually(async () => {
    const agent = new UserAgent(stack.baseUrl);
    const { url } = await lounge.begin();
    const { json } = await completeSignIn(agent, await beginSignIn(agent, url), authenticator);
    expect(json).toMatchObject({ refused: 'no_live_credential' });
  });
  const { body } = await diagnose(subject);
  expect(body).toMatchObject({
    state: 'refused',
    attempts: [{ app: lounge.app.clientId, result: 'denied', code: 'no_live_credential' }],
  });
  expect(body.attempts[0]!.reason).toBe(body.explanation);
});

it('is refused to those who may not read what happened to a customer, and knows no customer of others', async () => {
  const { subject } = await newCustomer(client);
  const approver = await HubUser.make(org, ['approver']);
  const stranger = await HubUser.make(await stack.newOrganization(), ['owner']);
  expect((await diagnose(subject, approver)).body.code).toBe('insufficient_scope');
  expect((await diagnose(subject, stranger)).body.code).toBe('unknown_subject');
  expect((await diagnose(randomUUID())).body.code).toBe('unknown_subject');
  expect((await diagnose('x')).body.code).toBe('invalid_request');
  const byApp = await client.call<Problem>('GET', `${client.api}/credentials/subjects/${subject}/sign-in-diagnosis`);
  expect(byApp.status).toBe(403);
});

it('is printed by the command line, whose reading the log of the organization has', async () => {
  const { subject, credentialId } = await newCustomer(client);
  await change(credentialId, 'suspend');
  const printed = await stack.printed('explain', org, subject);
  expect(printed.stdout).toContain('The credential is suspended.');
  expect(printed.stdout).toMatch(new RegExp(`${credentialId} +customer +suspended`));
  expect(await stack.operator('explain', org, subject)).toMatchObject({ state: 'suspended', credentialId });
  const unknown = await stack.printed('explain', org, randomUUID());
  expect(unknown).toMatchObject({ exitCode: 1, stdout: '' });
  expect(unknown.stderr).toContain(`${org} has no customer`);
  const owner = await HubUser.make(org, ['owner']);
  const { body } = await owner.call<{ items: AuditEvent[] }>('GET', `/audit/events?target=${subject}`);
  const reads = body.items.filter(({ action }) => action === 'subject.diagnose');
  expect(reads.map(({ actor: { type } }) => type)).toEqual(['operator', 'operator']);
});

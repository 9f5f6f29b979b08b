// What ends with a credential, at once and on every replica: sessions, tokens, silent sign-ins; and the apps are told
// (product §5).
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { Offer } from '@holdfast/contracts';
import { SoftwareAuthenticator } from '@holdfast/testing';
import { Client } from '../client.ts';
import { eventually, sleep } from '../parallel.ts';
import { closeConnections } from '../http.ts';
import { customerScopes, stack } from '../under-test.ts';
import { claim, newCustomer, tokenOf, type Customer } from './customer.fixture.ts';
import { LogoutReceiver } from './logout-receiver.fixture.ts';
import { RelyingParty } from './relying-party.fixture.ts';

const receiver = new LogoutReceiver();
const event = 'http://schemas.openid.net/event/backchannel-logout';
let site: RelyingParty;
let shop: Client;

beforeAll(async () => {
  await receiver.open();
  site = await RelyingParty.make(await stack.newOrganization(), 'shop', {
    grants: customerScopes,
    backchannelLogoutUri: receiver.urlOf('/shop'),
  });
  shop = new Client(stack, site.app);
});
afterAll(() => {
  receiver.close();
  closeConnections();
});

const issuer = () => `${stack.baseUrl}/o/${site.app.org}`;
const about = async (subject: string, path = '/shop', party = site) =>
  (await receiver.claims(path, issuer(), party.app.clientId)).filter(({ sub }) => sub === subject);
const act = async (customer: Customer, transition: 'suspend' | 'resume' | 'revoke') => {
  const { body } = await shop.get(customer.subject);
  expect(
    (await shop.call('POST', `${shop.api}/credentials/issued/${body.credentials[0]!.id}/${transition}`, { json: {} }))
      .status,
  ).toBe(200);
};

/** Lost phone: a new link, claimed with another device. */
async function recover({ org, subject }: Customer): Promise<SoftwareAuthenticator> {
  const replacement = new SoftwareAuthenticator();
  const { body } = await shop.offer<Offer>({ subject });
  expect((await claim(org, tokenOf(body.claimUrl), replacement)).status).toBe(200);
  return replacement;
}

const revocations: [string, (customer: Customer) => Promise<unknown>][] = [
  ['erased', async ({ subject }) => expect((await shop.erase(subject)).status).toBe(204)],
  ['moved to another passkey', recover],
  ['suspended', (customer) => act(customer, 'suspend')],
  ['revoked', (customer) => act(customer, 'revoke')],
];

describe.each(revocations)('a customer who is %s', (name, end) => {
  it('is signed in nowhere from the answer on, on any replica, and the app is told', async () => {
    const customer = await newCustomer(shop);
    const { agent, accessToken, refreshToken, claims } = await site.signIn(customer.authenticator);
    const second = await site.signIn(customer.authenticator);
    // Each gateway turns from one replica of auth to the next.
    const everywhere = () =>
      Promise.all(
        [...stack.gateways, ...stack.gateways].map((gateway) =>
          site.userinfo(accessToken, site.app.org, gateway).then(({ status }) => status),
        ),
      );
    expect(await everywhere()).toEqual([200, 200, 200, 200]);

    await end(customer);
    const answered = performance.now();
    const [userinfo, refreshed, silent] = await Promise.all([
      everywhere(),
      site.refresh(refreshToken),
      site.silently(agent, { prompt: 'none' }),
    ]);
    process.stdout.write(
      `${name}: refused everywhere ${Math.round(performance.now() - answered)} ms after the answer\n`,
    );
    expect(userinfo).toEqual([401, 401, 401, 401]);
    expect(refreshed).toMatchObject({ status: 400, json: { error: 'invalid_grant' } });
    expect(silent).toMatchObject({ error: 'login_required' });

    await eventually(async () => (await about(customer.subject)).length === 2, 10_000, 'two logout tokens');
    const logoutTokens = await about(customer.subject);
    expect(logoutTokens.map(({ sid }) => sid).sort()).toEqual([claims.sid, second.claims.sid].sort());
    for (const one of logoutTokens) {
      expect(one).toEqual({
        iss: issuer(),
        aud: site.app.clientId,
        sub: customer.subject,
        sid: expect.any(String),
        iat: expect.any(Number),
        exp: expect.any(Number),
        jti: expect.any(String),
        events: { [event]: {} },
      });
    }
    // And the other session too, which nobody had asked for meanwhile.
    expect((await site.refresh(second.refreshToken)).json.error).toBe('invalid_grant');
  });
});

it('a credential that ends signs out at its second, and the app is told', async () => {
  const authenticator = new SoftwareAuthenticator();
  const validUntil = new Date(Date.now() + 4000);
  const { body } = await shop.offer<Offer>({ offerExpiresIn: 2, validUntil: validUntil.toISOString() });
  expect((await claim(site.app.org, tokenOf(body.claimUrl), authenticator)).status).toBe(200);
  const { accessToken, refreshToken, agent, claims } = await site.signIn(authenticator);
  await sleep(Math.max(0, validUntil.getTime() - Date.now()) + 20);
  expect(
    (await Promise.all(stack.gateways.map((gateway) => site.userinfo(accessToken, site.app.org, gateway)))).map(
      ({ status }) => status,
    ),
  ).toEqual([401, 401]);
  expect((await site.refresh(refreshToken)).json.error).toBe('invalid_grant');
  expect(await site.silently(agent, { prompt: 'none' })).toMatchObject({ error: 'login_required' });
  await eventually(async () => (await about(body.subject)).length === 1, 20_000, 'a logout token');
  expect((await about(body.subject))[0]!.sid).toBe(claims.sid);
});

it('a credential that is resumed signs in again, and brings no old session back', async () => {
  const customer = await newCustomer(shop);
  const before = await site.signIn(customer.authenticator);
  await act(customer, 'suspend');
  await act(customer, 'resume');
  const again = await site.signIn(customer.authenticator);
  expect((await site.userinfo(before.accessToken)).status).toBe(401);
  expect((await site.refresh(before.refreshToken)).json.error).toBe('invalid_grant');
  expect(await site.silently(before.agent, { prompt: 'none' })).toMatchObject({ error: 'login_required' });
  expect((await site.refresh(again.refreshToken)).status).toBe(200);
  expect(await site.silently(again.agent, { prompt: 'none' })).toHaveProperty('code');
});

it('a recovery right after a sign-in ends it, and leaves the sign-in right after it', async () => {
  const customer = await newCustomer(shop);
  const before = await site.signIn(customer.authenticator);
  const replacement = await recover(customer);
  const after = await site.signIn(replacement);
  expect((await site.refresh(before.refreshToken)).json.error).toBe('invalid_grant');
  expect((await site.userinfo(before.accessToken)).status).toBe(401);
  expect((await site.refresh(after.refreshToken)).status).toBe(200);
});

it('signing out of one app tells the other one', async () => {
  const other = await RelyingParty.make(site.app.org, 'other', {
    backchannelLogoutUri: receiver.urlOf('/other'),
    idTokenAlg: 'ES256',
  });
  const customer = await newCustomer(shop);
  const { agent, idToken } = await site.signIn(customer.authenticator);
  expect(await other.silently(agent, { prompt: 'none' })).toHaveProperty('code');
  await agent.go(
    `${site.config.serverMetadata().end_session_endpoint}?${new URLSearchParams({ id_token_hint: idToken })}`,
  );
  await eventually(async () => (await about(customer.subject, '/other', other)).length === 1, 10_000, 'a logout token');
  expect(await about(customer.subject)).toEqual([]);
});

it('an app that answers 500 is told later, also when auth is killed meanwhile', async () => {
  const failing = await RelyingParty.make(site.app.org, 'failing', {
    backchannelLogoutUri: receiver.urlOf('/failing'),
  });
  receiver.answers.set('/failing', 500);
  const customer = await newCustomer(shop);
  await failing.signIn(customer.authenticator);
  await act(customer, 'revoke');
  await eventually(async () => receiver.calls('/failing') > 1, 10_000, 'a second attempt');
  await Promise.all(['auth-1', 'auth-2'].map((replica) => stack.control('kill', replica)));
  receiver.answers.delete('/failing');
  const calls = receiver.calls('/failing');
  await eventually(async () => receiver.calls('/failing') > calls, 40_000, 'an attempt after the kill');
  // The issuer's keys come from auth, which is just starting again.
  const logoutTokens = await eventually(
    () => about(customer.subject, '/failing', failing),
    20_000,
    'the keys of the issuer',
  );
  expect(logoutTokens.at(-1)).toMatchObject({ sub: customer.subject, events: { [event]: {} } });
});

it.each(['https://[::ffff:10.0.0.1]/', 'https://localhost/'])(
  '%s is refused as an address to be told at',
  async (uri) => {
    await expect(RelyingParty.make(site.app.org, 'inside', { backchannelLogoutUri: uri })).rejects.toThrow(
      /address not allowed/,
    );
  },
);

// Sessions, tokens and silent sign-ins end together with the credential, at once and on every replica, and apps receive
// logout tokens (product §5).
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { Offer } from '@holdfast/contracts';
import { eventually, SoftwareAuthenticator } from '@holdfast/testing';
import { Client } from '../clients/client.ts';
import { closeConnections } from '../clients/http.ts';
import { customerScopes, stack } from '../clients/under-test.ts';
import { untilPast } from '../stack/until-past.ts';
import { claim, newCustomer, tokenOf, type Customer } from './customer.fixture.ts';
import { LogoutReceiver } from './logout-receiver.fixture.ts';
import { RelyingParty } from './relying-party.fixture.ts';

const receiver = new LogoutReceiver();
const logoutEvent = 'http://schemas.openid.net/event/backchannel-logout';
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
const logoutTokensOf = async (subject: string, path = '/shop', party = site) =>
  (await receiver.claims(path, issuer(), party.app.clientId)).filter(({ sub }) => sub === subject);
const change = async ({ credentialId }: Customer, transition: 'suspend' | 'resume' | 'revoke') =>
  expect((await shop.manage(transition, credentialId)).status).toBe(200);

/** Recovers the credential after the loss of a phone: a new link, claimed with another authenticator. */
async function recover({ org, subject }: Customer): Promise<SoftwareAuthenticator> {
  const replacement = new SoftwareAuthenticator();
  const { body } = await shop.offer<Offer>({ subject });
  expect((await claim(org, tokenOf(body.claimUrl), replacement)).status).toBe(200);
  return replacement;
}

const revocations: [string, (customer: Customer) => Promise<unknown>][] = [
  ['erased', async ({ subject }) => expect((await shop.erase(subject)).status).toBe(204)],
  ['recovered with another passkey', recover],
  ['suspended', (customer) => change(customer, 'suspend')],
  ['revoked', (customer) => change(customer, 'revoke')],
];

describe.each(revocations)('a customer who is %s', (name, end) => {
  it('is signed out on every replica before the response, and the app receives logout tokens', async () => {
    const customer = await newCustomer(shop);
    const { agent, accessToken, refreshToken, claims } = await site.signIn(customer.authenticator);
    const second = await site.signIn(customer.authenticator);
    // Each gateway alternates between the replicas of auth.
    const statusOnEveryReplica = () =>
      Promise.all(
        [...stack.gateways, ...stack.gateways].map((gateway) =>
          site.userinfo(accessToken, site.app.org, gateway).then(({ status }) => status),
        ),
      );
    expect(await statusOnEveryReplica()).toEqual([200, 200, 200, 200]);

    await end(customer);
    const endedAt = performance.now();
    const [userinfo, refreshed, silent] = await Promise.all([
      statusOnEveryReplica(),
      site.refresh(refreshToken),
      site.silently(agent, { prompt: 'none' }),
    ]);
    process.stdout.write(
      `${name}: denied everywhere ${Math.round(performance.now() - endedAt)} ms after the response\n`,
    );
    expect(userinfo).toEqual([401, 401, 401, 401]);
    expect(refreshed).toMatchObject({ status: 400, json: { error: 'invalid_grant' } });
    expect(silent).toMatchObject({ error: 'login_required' });

    await eventually(async () => (await logoutTokensOf(customer.subject)).length === 2, 'two logout tokens');
    const logoutTokens = await logoutTokensOf(customer.subject);
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
        events: { [logoutEvent]: {} },
      });
    }
    // The other session, which was not used meanwhile, has ended as well.
    expect((await site.refresh(second.refreshToken)).json.error).toBe('invalid_grant');
  });
});

it('signs out a customer at once when the credential expires, and the app receives a logout token', async () => {
  const authenticator = new SoftwareAuthenticator();
  const validUntil = new Date(Date.now() + 15_000);
  const { body } = await shop.offer<Offer>({ offerExpiresIn: 12, validUntil: validUntil.toISOString() });
  expect((await claim(site.app.org, tokenOf(body.claimUrl), authenticator)).status).toBe(200);
  const { accessToken, refreshToken, agent, claims } = await site.signIn(authenticator);
  await untilPast(validUntil);
  expect(
    (await Promise.all(stack.gateways.map((gateway) => site.userinfo(accessToken, site.app.org, gateway)))).map(
      ({ status }) => status,
    ),
  ).toEqual([401, 401]);
  expect((await site.refresh(refreshToken)).json.error).toBe('invalid_grant');
  expect(await site.silently(agent, { prompt: 'none' })).toMatchObject({ error: 'login_required' });
  await eventually(async () => (await logoutTokensOf(body.subject)).length === 1, 'a logout token');
  expect((await logoutTokensOf(body.subject))[0]!.sid).toBe(claims.sid);
});

it('lets a customer sign in again after the credential was resumed, and restores no old session', async () => {
  const customer = await newCustomer(shop);
  const before = await site.signIn(customer.authenticator);
  await change(customer, 'suspend');
  await change(customer, 'resume');
  const after = await site.signIn(customer.authenticator);
  expect((await site.userinfo(before.accessToken)).status).toBe(401);
  expect((await site.refresh(before.refreshToken)).json.error).toBe('invalid_grant');
  expect(await site.silently(before.agent, { prompt: 'none' })).toMatchObject({ error: 'login_required' });
  expect((await site.refresh(after.refreshToken)).status).toBe(200);
  expect(await site.silently(after.agent, { prompt: 'none' })).toHaveProperty('code');
});

it('ends a sign-in right before a recovery, and keeps the sign-in right after it', async () => {
  const customer = await newCustomer(shop);
  const before = await site.signIn(customer.authenticator);
  const replacement = await recover(customer);
  const after = await site.signIn(replacement);
  expect((await site.refresh(before.refreshToken)).json.error).toBe('invalid_grant');
  expect((await site.userinfo(before.accessToken)).status).toBe(401);
  expect((await site.refresh(after.refreshToken)).status).toBe(200);
});

it('sends a logout token to every app of the session when the customer signs out of one', async () => {
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
  await eventually(
    async () => (await logoutTokensOf(customer.subject, '/other', other)).length === 1,
    'a logout token',
  );
  // The app that signed the customer out may have several servers (OpenID Connect Back-Channel Logout 1.0 §2.3).
  await eventually(async () => (await logoutTokensOf(customer.subject)).length === 1, 'a logout token of its own');
});

it('repeats the logout token for an app that responds with 500, also after auth was killed', async () => {
  const failing = await RelyingParty.make(site.app.org, 'failing', {
    backchannelLogoutUri: receiver.urlOf('/failing'),
  });
  receiver.statuses.set('/failing', 500);
  const customer = await newCustomer(shop);
  await failing.signIn(customer.authenticator);
  await change(customer, 'revoke');
  await eventually(async () => receiver.calls('/failing') > 1, 'a second attempt');
  await Promise.all(['auth-1', 'auth-2'].map((replica) => stack.control('kill', replica)));
  receiver.statuses.delete('/failing');
  const calls = receiver.calls('/failing');
  await eventually(async () => receiver.calls('/failing') > calls, 'an attempt after the kill');
  // The issuer's keys come from auth, which has just been killed.
  const logoutTokens = await eventually(
    () => logoutTokensOf(customer.subject, '/failing', failing),
    'the keys of the issuer',
  );
  expect(logoutTokens.at(-1)).toMatchObject({ sub: customer.subject, events: { [logoutEvent]: {} } });
});

it.each(['https://[::ffff:10.0.0.1]/', 'https://localhost/'])(
  'rejects %s as the address for logout tokens',
  async (uri) => {
    await expect(RelyingParty.make(site.app.org, 'inside', { backchannelLogoutUri: uri })).rejects.toThrow(
      /address not allowed/,
    );
  },
);

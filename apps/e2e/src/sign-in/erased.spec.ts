// After an erase, at once: no sign-in, no refresh, no userinfo, by any gateway. And what no log may hold, none holds.
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from '@jest/globals';
import type { AuditEvent } from '@holdfast/contracts';
import { SoftwareAuthenticator } from '@holdfast/testing';
import { Client } from '../client.ts';
import { eventually } from '../eventually.ts';
import { closeConnections } from '../http.ts';
import { customerScopes, house } from '../under-test.ts';
import { answerSignIn, beginSignIn, claim, newCustomer, signIn, tokenOf } from './customer.fixture.ts';
import { RelyingParty } from './relying-party.fixture.ts';
import { UserAgent } from './user-agent.ts';

let site: RelyingParty;
let shop: Client;
let auditor: Client;
beforeAll(async () => {
  const org = await house.newOrganization();
  const [made, app] = await Promise.all([RelyingParty.make(org, 'shop', { grants: customerScopes }), house.newApp(org, 'auditor', ['audit:read'], 'service')]);
  site = made;
  shop = new Client(house, made.app);
  auditor = new Client(house, app, ['audit:read']);
});
afterAll(closeConnections);

/** What must stand in no log, and what it is. */
const secrets = new Map<string, string>();

async function holder() {
  const customer = await newCustomer(shop);
  const [passkey] = customer.authenticator.passkeys;
  const signed = await site.signIn(customer.authenticator);
  secrets.set(customer.subject, 'a subject').set(customer.token, 'a claim token').set(passkey!.userHandle, 'a user handle');
  secrets.set(signed.refreshToken, 'a refresh token').set(signed.accessToken, 'an access token').set(signed.idToken.split('.')[2]!, 'the signature of an ID token');
  for (const { value } of signed.agent.cookies) if (value.length > 20) secrets.set(value, 'a cookie');
  return { ...customer, ...signed };
}

it.each([0, 1])('nothing is left at the 204 (erased through gateway %i)', async (gateway) => {
  const { subject, authenticator, agent, refreshToken, accessToken } = await holder();
  const underWay = await site.code(authenticator);
  secrets.set(underWay.code, 'a code');
  const other = new UserAgent(house.baseUrl);
  const page = await beginSignIn(other, (await site.begin()).url);
  expect((await site.userinfo(accessToken)).status).toBe(200);

  expect((await shop.erase(subject, { gateway })).status).toBe(204);
  const [userinfo, refresh, code, silent, passkey] = await Promise.all([
    site.userinfo(accessToken),
    site.refresh(refreshToken),
    site.token({ code: underWay.code, code_verifier: underWay.code_verifier }),
    site.silently(agent, { prompt: 'none' }),
    answerSignIn(other, page, authenticator),
  ]);
  expect(userinfo.status).toBe(401);
  expect(refresh).toMatchObject({ status: 400, json: { error: 'invalid_grant' } });
  expect(code).toMatchObject({ status: 400, json: { error: 'invalid_grant' } });
  expect(silent).toMatchObject({ error: 'login_required' });
  expect(passkey.json).toEqual({ refused: 'unknown_passkey' });

  // The page stays usable for somebody else, and leaving it is told to the app.
  const bob = await holder();
  expect((await answerSignIn(other, page, bob.authenticator)).json).toHaveProperty('redirectTo');
  const leaving = await beginSignIn(agent, (await site.begin()).url);
  const { json } = await agent.post(`${leaving}/cancel`);
  expect(new URL((await agent.go(String(json.redirectTo))).location).searchParams.get('error')).toBe('access_denied');
  expect((await shop.get(subject)).status).toBe(404);
});

it('an erase wins over sign-ins, refreshes and claims that race with it', async () => {
  const { subject, authenticator, agent, refreshToken } = await holder();
  const open = (await shop.offer({ subject })).body as { claimUrl: string };
  const fresh = new SoftwareAuthenticator();
  const refreshed: string[] = [];
  const [, , ...rest] = await Promise.allSettled([
    shop.erase(subject),
    site.refresh(refreshToken).then(({ json }) => refreshed.push(json.refresh_token ?? '', json.access_token ?? '')),
    claim(shop.app.org, tokenOf(open.claimUrl), fresh),
    signIn(new UserAgent(house.baseUrl), (await site.begin()).url, authenticator),
    site.silently(agent, { prompt: 'none' }),
  ]);
  expect(rest).toHaveLength(3);
  secrets.set(tokenOf(open.claimUrl), 'a claim token');
  expect((await shop.get(subject)).status).toBe(404);
  if (refreshed[0]) expect((await site.refresh(refreshed[0])).status).toBe(400);
  if (refreshed[1]) expect((await site.userinfo(refreshed[1])).status).toBe(401);
  for (const held of [authenticator, fresh]) {
    if (held.passkeys.length === 0) continue;
    const other = new UserAgent(house.baseUrl);
    expect((await answerSignIn(other, await beginSignIn(other, (await site.begin()).url), held)).json).toEqual({ refused: 'unknown_passkey' });
  }
  expect(await site.silently(agent, { prompt: 'none' })).toMatchObject({ error: 'login_required' });
});

it('claim, sign-in, tokens, refusal and sign-out stand in the audit log, as the customer or the app who did it', async () => {
  const { subject, authenticator, agent, idToken, refreshToken } = await holder();
  await site.refresh(refreshToken);
  const clientId = site.app.clientId;
  await claim(shop.app.org, [...secrets].find(([, what]) => what === 'a claim token')![0], new SoftwareAuthenticator());
  const { end_session_endpoint } = site.config.serverMetadata();
  await agent.go(`${end_session_endpoint}?${new URLSearchParams({ id_token_hint: idToken })}`);
  await answerSignIn(agent, await beginSignIn(agent, (await site.begin()).url), authenticator);

  const log = await auditor.wholeLog();
  const mine = log.filter(({ actor, targets }) => actor.id === subject || targets.some(({ id }) => id === subject));
  const brief = ({ action, actor, outcome }: AuditEvent) => `${action} ${actor.type} ${actor.id === subject ? 'themselves' : actor.id} ${outcome.result}`;
  const told = mine.map(brief);
  expect(told.filter((line) => line === 'credential.claim customer themselves success')).toHaveLength(1);
  expect(told.filter((line) => line === 'customer.sign_in customer themselves success')).toHaveLength(2);
  expect(told.filter((line) => line === 'customer.sign_out customer themselves success')).toHaveLength(1);
  expect(told.filter((line) => line === `customer.token app ${clientId} success`)).toHaveLength(2);
  expect(told.filter((line) => line === `offer.create app ${clientId} success`)).toHaveLength(1);
  for (const { actor } of mine) expect(['customer', 'app']).toContain(actor.type);

  await shop.erase(subject);
  const pseudonyms = new Set<string>();
  await eventually(async () => {
    const after = await auditor.wholeLog();
    const same = after.filter(({ id }) => mine.some((one) => one.id === id));
    pseudonyms.clear();
    for (const { actor } of same) if (actor.type === 'customer') pseudonyms.add(actor.id);
    return same.length === mine.length && !JSON.stringify(same).includes(subject);
  }, 5000, 'the erasure in the audit log');
  expect(pseudonyms.size).toBe(1);
});

it('refusals are recorded: a spent link by itself, a passkey that is not known as a count', async () => {
  const { token, subject, authenticator } = await holder();
  await claim(shop.app.org, token, new SoftwareAuthenticator());
  await shop.erase(subject);
  const agent = new UserAgent(house.baseUrl);
  await answerSignIn(agent, await beginSignIn(agent, (await site.begin()).url), authenticator);
  await eventually(async () => {
    const log = await auditor.wholeLog();
    const refused = (action: string, code: string) => log.some((event) => event.action === action && event.outcome.code === code && event.outcome.result !== 'success');
    return refused('credential.claim', 'claim_spent') && refused('customer.sign_in', 'unknown_passkey');
  }, 70_000, 'the records of the refusals');
}, 80_000);

it('no log of the house holds a subject, a user handle, a claim token, a code or a token, in any encoding', () => {
  const folder = join(house.home, 'logs');
  const needles = [...secrets].flatMap(([value, what]) => {
    const raw = Buffer.from(value, 'base64url');
    const forms = [value, encodeURIComponent(value), Buffer.from(value).toString('base64').replace(/=+$/, ''), Buffer.from(value).toString('base64url'), value.replaceAll('-', '')];
    const bytes = what === 'a user handle' ? [raw.toString('hex'), raw.toString('base64')] : [];
    return [...new Set([...forms, ...bytes])].filter((form) => form.length >= 20).map((form) => [form, what] as const);
  });
  expect(needles.length).toBeGreaterThan(20);
  const files = readdirSync(folder).filter((file) => file.endsWith('.log'));
  expect(files.length).toBeGreaterThanOrEqual(8);
  const found = files.flatMap((file) => {
    const text = readFileSync(join(folder, file), 'utf8');
    return needles.filter(([form]) => text.includes(form)).map(([form, what]) => `${file}: ${what} (${form.slice(0, 6)}…)`);
  });
  expect(found).toEqual([]);
});

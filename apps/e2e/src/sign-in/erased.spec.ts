// Right after an erasure no sign-in, refresh or userinfo succeeds at any gateway. No log contains a secret.
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from '@jest/globals';
import type { AuditEvent, Offer } from '@holdfast/contracts';
import { eventually, SoftwareAuthenticator } from '@holdfast/testing';
import { Client } from '../clients/client.ts';
import { closeConnections } from '../clients/http.ts';
import { customerScopes, stack } from '../clients/under-test.ts';
import { untilPast } from '../stack/until-past.ts';
import { beginSignIn, claim, completeSignIn, newCustomer, signIn, tokenOf } from './customer.fixture.ts';
import { RelyingParty } from './relying-party.fixture.ts';
import { UserAgent } from './user-agent.ts';

let site: RelyingParty;
let shop: Client;
let auditor: Client;
beforeAll(async () => {
  const org = await stack.newOrganization();
  const [made, app] = await Promise.all([
    RelyingParty.make(org, 'shop', { grants: customerScopes }),
    stack.newApp(org, 'auditor', ['audit:read'], 'service'),
  ]);
  site = made;
  shop = new Client(stack, made.app);
  auditor = new Client(stack, app, ['audit:read']);
});
afterAll(closeConnections);

/** What no log may contain, with a description. */
const secrets = new Map<string, string>();

async function signedInCustomer() {
  const customer = await newCustomer(shop);
  const [passkey] = customer.authenticator.passkeys;
  const signed = await site.signIn(customer.authenticator);
  secrets
    .set(customer.subject, 'a subject')
    .set(customer.token, 'a claim token')
    .set(passkey!.userHandle, 'a user handle');
  secrets
    .set(signed.refreshToken, 'a refresh token')
    .set(signed.accessToken, 'an access token')
    .set(signed.idToken.split('.')[2]!, 'the signature of an ID token');
  for (const { value } of signed.agent.cookies) if (value.length > 20) secrets.set(value, 'a cookie');
  return { ...customer, ...signed };
}

it.each([0, 1])('ends tokens, codes, sessions and passkeys before the 204 of gateway %i', async (gateway) => {
  const { subject, authenticator, agent, refreshToken, accessToken } = await signedInCustomer();
  const unused = await site.code(authenticator);
  secrets.set(unused.code, 'a code');
  const other = new UserAgent(stack.baseUrl);
  const page = await beginSignIn(other, (await site.begin()).url);
  expect((await site.userinfo(accessToken)).status).toBe(200);

  expect((await shop.erase(subject, { gateway })).status).toBe(204);
  const [userinfo, refresh, code, silent, passkey] = await Promise.all([
    site.userinfo(accessToken),
    site.refresh(refreshToken),
    site.token({ code: unused.code, code_verifier: unused.code_verifier }),
    site.silently(agent, { prompt: 'none' }),
    completeSignIn(other, page, authenticator),
  ]);
  expect(userinfo.status).toBe(401);
  expect(refresh).toMatchObject({ status: 400, json: { error: 'invalid_grant' } });
  expect(code).toMatchObject({ status: 400, json: { error: 'invalid_grant' } });
  expect(silent).toMatchObject({ error: 'login_required' });
  expect(passkey.json).toEqual({ refused: 'unknown_passkey', removed: true });

  // The page stays usable for another customer, and the app receives access_denied when it is cancelled.
  const bob = await signedInCustomer();
  expect((await completeSignIn(other, page, bob.authenticator)).json).toHaveProperty('redirectTo');
  const cancelledPage = await beginSignIn(agent, (await site.begin()).url);
  expect((await completeSignIn(agent, cancelledPage, authenticator)).json).toEqual({
    refused: 'unknown_passkey',
    removed: true,
  });
  const { json } = await agent.post(`${cancelledPage}/cancel`);
  expect(new URL((await agent.go(String(json.redirectTo))).location).searchParams.get('error')).toBe('access_denied');
  expect((await shop.get(subject)).status).toBe(404);
});

it('prevails over concurrent sign-ins, refreshes and claims', async () => {
  const { subject, authenticator, agent, refreshToken, accessToken } = await signedInCustomer();
  const open = (await shop.offer({ subject })).body as { claimUrl: string };
  const replacement = new SoftwareAuthenticator();
  const refreshed: string[] = [];
  const [, , ...rest] = await Promise.allSettled([
    shop.erase(subject),
    site.refresh(refreshToken).then(({ json }) => refreshed.push(json.refresh_token ?? '', json.access_token ?? '')),
    claim(shop.app.org, tokenOf(open.claimUrl), replacement),
    signIn(new UserAgent(stack.baseUrl), (await site.begin()).url, authenticator),
    site.silently(agent, { prompt: 'none' }),
  ]);
  expect(rest).toHaveLength(3);
  secrets.set(tokenOf(open.claimUrl), 'a claim token');
  expect((await shop.get(subject)).status).toBe(404);
  // The refresh may have won or lost the race. What it returned, if anything, is not valid either.
  const [newRefreshToken = refreshToken, newAccessToken = accessToken] = refreshed.filter(Boolean);
  expect((await site.refresh(newRefreshToken)).status).toBe(400);
  expect((await site.userinfo(newAccessToken)).status).toBe(401);
  // The claim may have failed before it created a passkey.
  const withPasskey = [authenticator, replacement].filter(({ passkeys }) => passkeys.length > 0);
  for (const one of withPasskey) {
    const other = new UserAgent(stack.baseUrl);
    expect((await completeSignIn(other, await beginSignIn(other, (await site.begin()).url), one)).json).toEqual({
      refused: 'unknown_passkey',
      removed: true,
    });
  }
  expect(await site.silently(agent, { prompt: 'none' })).toMatchObject({ error: 'login_required' });
});

it('keeps the records of claim, sign-in, tokens and sign-out in the audit log under a pseudonym', async () => {
  const { subject, authenticator, agent, idToken, refreshToken } = await signedInCustomer();
  await site.refresh(refreshToken);
  const clientId = site.app.clientId;
  await claim(shop.app.org, [...secrets].find(([, what]) => what === 'a claim token')![0], new SoftwareAuthenticator());
  const { end_session_endpoint } = site.config.serverMetadata();
  await agent.go(`${end_session_endpoint}?${new URLSearchParams({ id_token_hint: idToken })}`);
  await signIn(agent, (await site.begin()).url, authenticator);

  const log = await auditor.wholeLog();
  const ofCustomer = log.filter(
    ({ actor, targets }) => actor.id === subject || targets.some(({ id }) => id === subject),
  );
  const brief = ({ action, actor, outcome }: AuditEvent) =>
    `${action} ${actor.type} ${actor.id === subject ? 'themselves' : actor.id} ${outcome.result}`;
  const lines = ofCustomer.map(brief);
  expect(lines.filter((line) => line === 'credential.claim customer themselves success')).toHaveLength(1);
  expect(lines.filter((line) => line === 'customer.sign_in customer themselves success')).toHaveLength(2);
  expect(lines.filter((line) => line === 'customer.sign_out customer themselves success')).toHaveLength(1);
  expect(lines.filter((line) => line === `customer.token app ${clientId} success`)).toHaveLength(2);
  expect(lines.filter((line) => line === `offer.create app ${clientId} success`)).toHaveLength(1);
  for (const { actor } of ofCustomer) expect(['customer', 'app']).toContain(actor.type);

  await shop.erase(subject);
  const pseudonyms = new Set<string>();
  await eventually(async () => {
    const after = await auditor.wholeLog();
    const same = after.filter(({ id }) => ofCustomer.some((one) => one.id === id));
    pseudonyms.clear();
    for (const { actor } of same) if (actor.type === 'customer') pseudonyms.add(actor.id);
    return same.length === ofCustomer.length && !JSON.stringify(same).includes(subject);
  }, 'the erasure in the audit log');
  expect(pseudonyms.size).toBe(1);
});

it('denies the sign-in with an expired credential: access_denied for the app, a record with the customer', async () => {
  const authenticator = new SoftwareAuthenticator();
  const validUntil = new Date(Date.now() + 15_000);
  const { body } = await shop.offer<Offer>({ offerExpiresIn: 12, validUntil: validUntil.toISOString() });
  const token = tokenOf(body.claimUrl);
  expect((await claim(shop.app.org, token, authenticator)).status).toBe(200);
  const { accessToken, refreshToken, agent, claims } = await site.signIn(authenticator);
  expect((claims.credential as { expires_at: string }).expires_at).toBe(validUntil.toISOString());
  await untilPast(validUntil);

  expect((await site.userinfo(accessToken)).status).toBe(401);
  expect(await site.refresh(refreshToken)).toMatchObject({ status: 400, json: { error: 'invalid_grant' } });
  expect(await site.silently(agent, { prompt: 'none' })).toHaveProperty('error');
  const other = new UserAgent(stack.baseUrl);
  const { json } = await completeSignIn(other, await beginSignIn(other, (await site.begin()).url), authenticator);
  expect(json).toEqual({ refused: 'no_live_credential', redirectTo: expect.any(String) });
  expect((await other.go(String(json.redirectTo))).location).toContain('error=access_denied');

  expect(await claim(shop.app.org, token, new SoftwareAuthenticator())).toMatchObject({
    status: 410,
    body: { code: 'claim_spent' },
  });
  const log = await auditor.wholeLog();
  const failures = log.filter(({ outcome }) => outcome.result !== 'success');
  expect(failures).toContainEqual(
    expect.objectContaining({
      action: 'customer.sign_in',
      actor: { type: 'customer', id: body.subject, pseudonym: expect.any(String) },
      outcome: expect.objectContaining({ result: 'denied', code: 'no_live_credential' }),
    }),
  );
  expect(failures).toContainEqual(
    expect.objectContaining({ action: 'credential.claim', outcome: expect.objectContaining({ code: 'claim_spent' }) }),
  );
});

it('leaves no subject, user handle, claim token, code or token in any log, in any encoding', () => {
  const folder = join(stack.home, 'logs');
  const needles = [...secrets].flatMap(([value, what]) => {
    const raw = Buffer.from(value, 'base64url');
    const forms = [
      value,
      encodeURIComponent(value),
      Buffer.from(value).toString('base64').replace(/=+$/, ''),
      Buffer.from(value).toString('base64url'),
      value.replaceAll('-', ''),
    ];
    const bytes = what === 'a user handle' ? [raw.toString('hex'), raw.toString('base64')] : [];
    return [...new Set([...forms, ...bytes])].filter((form) => form.length >= 20).map((form) => [form, what] as const);
  });
  expect(needles.length).toBeGreaterThan(20);
  const files = readdirSync(folder).filter((file) => file.endsWith('.log'));
  expect(files.length).toBeGreaterThanOrEqual(8);
  const found = files.flatMap((file) => {
    const text = readFileSync(join(folder, file), 'utf8');
    return needles
      .filter(([form]) => text.includes(form))
      .map(([form, what]) => `${file}: ${what} (${form.slice(0, 6)}…)`);
  });
  expect(found).toEqual([]);
});

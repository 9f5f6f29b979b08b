// The account page: several passkeys of a customer, and where they are signed in (product §5).
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { Subject } from '@holdfast/contracts';
import { eventually, SoftwareAuthenticator } from '@holdfast/testing';
import { FeedReader } from '../chaos/feed-reader.ts';
import { Client } from '../clients/client.ts';
import { closeConnections } from '../clients/http.ts';
import { customerScopes, newClients, stack } from '../clients/under-test.ts';
import { AccountPage } from './account-page.fixture.ts';
import { newCustomer } from './customer.fixture.ts';
import { LogoutReceiver } from './logout-receiver.fixture.ts';
import { RelyingParty } from './relying-party.fixture.ts';
import { UserAgent } from './user-agent.ts';

const receiver = new LogoutReceiver();
let shop: Client;
let site: RelyingParty;
let auditor: Client;

beforeAll(async () => {
  await receiver.open();
  ({ auditor } = await newClients({ auditor: { kind: 'service', grants: ['audit:read'] } }));
  site = await RelyingParty.make(auditor.app.org, 'shop', {
    grants: customerScopes,
    backchannelLogoutUri: receiver.urlOf('/account'),
  });
  shop = new Client(stack, site.app);
});
afterAll(() => {
  receiver.close();
  closeConnections();
});

const org = () => site.app.org;
const sessionsOf = (subject: string) => `/o/${org()}/api/credentials/subjects/${subject}/sessions`;
/** The member of a credential that shows its passkeys to the organization. */
const seen = 'holders';
const passkeysSeenBy = async (subject: string) => {
  const { body } = await shop.call<Subject>('GET', `/o/${org()}/api/credentials/subjects/${subject}`);
  return body.credentials[0]![seen]!;
};
/** A customer with two passkeys: each signs in. */
async function withTwoPasskeys() {
  const customer = await newCustomer(shop, new SoftwareAuthenticator({ synced: true }));
  const second = new SoftwareAuthenticator();
  const page = await AccountPage.signedIn(org(), customer.authenticator);
  expect((await page.add(second)).status).toBe(200);
  const [first, added] = (await page.read()).passkeys;
  return { ...customer, second, page, ids: [first!.id, added!.id] as const };
}

describe('the account page', () => {
  it('adds, renames and removes passkeys, and the organization sees how many, and since when', async () => {
    const { page, subject, authenticator, second, ids } = await withTwoPasskeys();
    expect(await page.read()).toMatchObject({
      current: ids[0],
      credentials: [{ state: 'live', renews: false }],
      passkeys: [{ synced: true, lastUsedAt: expect.any(String) }, { synced: false }],
      mayAddPasskey: true,
      sessions: [],
    });
    expect(await passkeysSeenBy(subject)).toEqual([
      { type: 'passkey', addedAt: expect.any(String) },
      { type: 'passkey', addedAt: expect.any(String) },
    ]);
    const renamed = await page.post('/passkeys/rename', { passkey: ids[1], name: ' Phone ' });
    expect(renamed.json).toMatchObject({ passkey: { id: ids[1], name: 'Phone' } });
    const removed = await page.post('/passkeys/remove', { passkey: ids[0] });
    expect(removed.json).toMatchObject({
      acceptedPasskeys: { allAcceptedCredentialIds: [second.passkeys[0]!.id], userId: expect.any(String) },
    });
    // The page was signed in with it.
    expect((await page.post('')).json).toMatchObject({ code: 'account_session_ended' });
    expect((await page.post('/passkeys/options')).status).toBe(401);
    expect((await new AccountPage(org()).signIn(authenticator)).json).toEqual({
      refused: 'unknown_passkey',
      removed: true,
    });
    expect(await passkeysSeenBy(subject)).toHaveLength(1);
    const last = await AccountPage.signedIn(org(), second);
    expect((await last.post('/passkeys/remove', { passkey: ids[1] })).json).toMatchObject({ code: 'invalid_state' });
    await eventually(async () => {
      const actions = (await auditor.wholeLog({ actor: subject })).map(({ action }) => action);
      for (const action of ['account.sign_in', 'passkey.add', 'passkey.rename', 'passkey.remove'])
        expect(actions).toContain(action);
    });
  });

  it('leaves no gap in the versions of the feed by a renaming', async () => {
    const { page, subject, ids } = await withTwoPasskeys();
    expect((await page.post('/passkeys/rename', { passkey: ids[1], name: 'Phone' })).status).toBe(200);
    expect((await page.post('/passkeys/remove', { passkey: ids[1] })).status).toBe(200);
    const automation = new Client(stack, await stack.newApp(org(), 'feed', ['webhooks:manage'], 'service'));
    await eventually(async () => {
      const feed = (await new FeedReader(automation).read()).filter(({ data }) => data.subject === subject);
      expect(feed.map(({ version }) => version)).toEqual([1, 2, 3, 4]);
      expect(feed.at(-1)).toMatchObject({ type: 'credential.passkey_removed', data: { passkeys: 1 } });
    });
  });

  it('ends the sessions that began with a removed passkey, and no others', async () => {
    const { page, subject, authenticator, second, ids } = await withTwoPasskeys();
    const kept = await site.signIn(authenticator);
    const ended = await site.signIn(second);
    expect((await page.read()).sessions.map(({ passkey }) => passkey).sort()).toEqual([...ids].sort());
    expect((await page.post('/passkeys/remove', { passkey: ids[1] })).status).toBe(200);
    const [userinfo, refreshed, silent] = await Promise.all([
      site.userinfo(ended.accessToken),
      site.refresh(ended.refreshToken),
      site.silently(ended.agent, { prompt: 'none' }),
    ]);
    expect(userinfo.status).toBe(401);
    expect(refreshed.json.error).toBe('invalid_grant');
    expect(silent).toMatchObject({ error: 'login_required' });
    await eventually(async () => {
      const tokens = await receiver.claims('/account', `${stack.baseUrl}/o/${org()}`, site.app.clientId);
      expect(tokens.filter(({ sub }) => sub === subject).map(({ sid }) => sid)).toEqual([ended.claims.sid]);
    });
    expect((await site.userinfo(kept.accessToken)).status).toBe(200);
    expect((await site.refresh(kept.refreshToken)).status).toBe(200);
    expect(await site.silently(kept.agent, { prompt: 'none' })).toHaveProperty('code');
    expect((await page.read()).sessions).toHaveLength(1);
  });

  it('needs both secrets: a stolen cookie or a stolen session alone opens nothing', async () => {
    const { page, authenticator } = await withTwoPasskeys();
    const { agent } = await site.signIn(authenticator);
    const thief = new AccountPage(org(), new UserAgent(stack.baseUrl));
    thief.agent.cookies = [...agent.cookies, ...page.agent.cookies];
    for (const session of ['', 'x'.repeat(43)]) {
      thief.session = session;
      for (const path of ['', '/passkeys/options', '/passkeys/add', '/passkeys/remove', '/sessions/end'])
        expect((await thief.post(path, path.endsWith('add') ? { response: {} } : {})).status).not.toBe(200);
    }
    const other = new AccountPage(org(), new UserAgent(stack.baseUrl));
    other.session = page.session;
    expect((await other.post('')).json).toMatchObject({ code: 'account_session_ended' });
    await other.agent.post(`${other.api}/options`);
    expect((await other.post('')).json).toMatchObject({ code: 'account_session_ended' });
    // A response of one browser completes nothing in another one.
    const { json } = await page.agent.post(`${page.api}/options`);
    const response = authenticator.authenticate(json.options as object, { origin: new URL(stack.baseUrl).origin });
    expect((await other.agent.post(`${other.api}/sign-in`, { response })).json).toMatchObject({
      code: 'ceremony_expired',
    });
    // Nor does the passkey of a sign-in to an app: its challenge is that of the app.
    expect(
      (await page.agent.post(`${page.api}/sign-in`, { response }, { origin: 'https://evil.example' })).status,
    ).toBe(403);
  });

  it('belongs to the customers of its organization', async () => {
    const other = await newClients({ shop: { grants: customerScopes, redirectUris: ['https://shop.example/cb'] } });
    const stranger = await newCustomer(other.shop);
    expect((await new AccountPage(org()).signIn(stranger.authenticator)).json).toEqual({
      refused: 'other_organization',
    });
    const { page } = await withTwoPasskeys();
    const elsewhere = new AccountPage(other.shop.app.org, page.agent);
    elsewhere.session = page.session;
    expect((await elsewhere.post('')).status).toBe(401);
    expect((await new AccountPage('no-such-org').agent.post('/o/no-such-org/api/account/options')).status).toBe(404);
  });

  it('is closed for a customer without a live credential, and ends with a suspension and an erasure', async () => {
    const customer = await withTwoPasskeys();
    const response = await customer.page.register();
    expect((await shop.manage('suspend', customer.credentialId)).status).toBe(200);
    expect((await customer.page.post('/passkeys/add', { response })).json).toMatchObject({ code: 'invalid_state' });
    expect((await new AccountPage(org()).signIn(customer.second)).json).toEqual({ refused: 'no_live_credential' });
    expect((await shop.manage('resume', customer.credentialId)).status).toBe(200);
    const page = await AccountPage.signedIn(org(), customer.second);
    const again = await page.register();
    expect((await shop.erase(customer.subject)).status).toBe(204);
    // The ceremony is deleted with the customer, and the end of the session arrives within a second: either is first.
    const added = async () => (await page.post('/passkeys/add', { response: again })).json as { code: string };
    expect(['account_session_ended', 'ceremony_expired']).toContain((await added()).code);
    await eventually(async () => expect(await added()).toMatchObject({ code: 'account_session_ended' }));
    for (const authenticator of [customer.authenticator, customer.second])
      expect((await new AccountPage(org()).signIn(authenticator)).json).toMatchObject({ refused: 'unknown_passkey' });
  });

  it('allows as many of ten concurrent additions as the limit, and leaves one passkey of two removals', async () => {
    const { page, subject, second, authenticator, ids } = await withTwoPasskeys();
    const responses: object[] = [];
    for (let i = 0; i < 10; i++) responses.push(await page.register());
    const added = await Promise.all(responses.map((response) => page.post('/passkeys/add', { response })));
    expect(added.filter(({ status }) => status === 200)).toHaveLength(8);
    expect(await passkeysSeenBy(subject)).toHaveLength(10);
    expect(await page.read()).toMatchObject({ mayAddPasskey: false });
    const { passkeys } = await page.read();
    for (const { id } of passkeys.filter(({ id }) => !ids.includes(id as never)))
      expect((await page.post('/passkeys/remove', { passkey: id })).status).toBe(200);
    const other = await AccountPage.signedIn(org(), second);
    const removals = await Promise.all([
      page.post('/passkeys/remove', { passkey: ids[0] }),
      other.post('/passkeys/remove', { passkey: ids[1] }),
    ]);
    expect(removals.filter(({ status }) => status === 200)).toHaveLength(1);
    expect(await passkeysSeenBy(subject)).toHaveLength(1);
    const left = removals[0].status === 200 ? second : authenticator;
    await AccountPage.signedIn(org(), left);
  });
});

describe('the sessions of a customer', () => {
  it('are listed with their apps, and end one by one or all at once, on the page and by the backend', async () => {
    const { page, subject, authenticator, second } = await withTwoPasskeys();
    const one = await site.signIn(authenticator);
    const two = await site.signIn(second);
    const { body } = await shop.call<{ items: { id: string; apps: object[] }[] }>('GET', sessionsOf(subject));
    expect(body.items).toHaveLength(2);
    expect(body.items[0]).toMatchObject({
      apps: [{ clientId: site.app.clientId, name: expect.any(String) }],
      browser: true,
    });
    const { sessions } = await page.read();
    expect(sessions.map(({ id }) => id).sort()).toEqual(body.items.map(({ id }) => id).sort());
    expect((await page.post('/sessions/end', { only: sessions[1]!.id })).json).toEqual({ changed: 1 });
    expect((await page.read()).sessions).toEqual([sessions[0]]);
    const states = await Promise.all([one, two].map(({ refreshToken }) => site.refresh(refreshToken)));
    expect(states.map(({ status }) => status).sort()).toEqual([200, 400]);
    const three = await site.signIn(authenticator);
    expect((await shop.call('DELETE', sessionsOf(subject))).status).toBe(204);
    expect((await shop.call('DELETE', sessionsOf(subject))).status).toBe(204);
    expect((await page.read()).sessions).toEqual([]);
    expect((await site.refresh(three.refreshToken)).json.error).toBe('invalid_grant');
    expect(await site.silently(three.agent, { prompt: 'none' })).toMatchObject({ error: 'login_required' });
    await site.signIn(authenticator);
  });

  it('are those of the calling app, and need the operations for it', async () => {
    const { subject } = await newCustomer(shop);
    const client = async (name: string, grants: string[]) =>
      new Client(stack, await stack.newApp(org(), name, grants, 'web', []), grants);
    const [stranger, reader] = await Promise.all([
      client('stranger', customerScopes),
      client('reader', ['issued:read']),
    ]);
    expect((await stranger.call('GET', sessionsOf(subject))).body).toMatchObject({ code: 'unknown_subject' });
    expect((await stranger.call('DELETE', sessionsOf(subject))).body).toMatchObject({ code: 'unknown_subject' });
    expect((await reader.call('DELETE', sessionsOf(subject))).status).toBe(403);
    expect((await auditor.call('GET', sessionsOf(subject))).status).toBe(403);
  });
});

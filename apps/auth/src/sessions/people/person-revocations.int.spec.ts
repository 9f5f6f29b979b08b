import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, beforeEach, describe, expect, jest, test } from '@jest/globals';
import { decodeJwt } from 'jose';
import { sha256 } from '@holdfast/platform';
import { eventually } from '@holdfast/testing';
import { AuthStack } from '../../auth-stack.fixture.js';
import { People } from '../../organization-issuer/people.js';
import { directoryEvent, newPerson, people } from '../../person-stubs.fixture.js';
import { RelyingParty } from '../../relying-party.fixture.js';
import { newCustomer } from '../../service-stubs.fixture.js';
import { TestBrowser } from '../../test-browser.fixture.js';
import { sealPayload } from '../sealed-payload.js';

const someGroup = 'f0000000-0000-4000-8000-000000000001';

let stack: AuthStack;
let receiver: Server;
let staff: RelyingParty;
let desk: RelyingParty;
/** Subjects of logout tokens that an app got, by the path of its address. */
let notified: [path: string, subject: string][] = [];

beforeAll(async () => {
  receiver = createServer((request, response) => {
    let body = '';
    request.on('data', (chunk: Buffer) => (body += chunk.toString()));
    request.on('end', () => {
      notified.push([request.url!, decodeJwt(new URLSearchParams(body).get('logout_token')!).sub!]);
      response.writeHead(200).end();
    });
  });
  await new Promise<void>((resolve) => void receiver.listen(0, '127.0.0.1', resolve));
  const origin = `http://127.0.0.1:${(receiver.address() as AddressInfo).port}`;
  stack = await AuthStack.start({ OUTBOUND_ALLOW: [origin] });
  const start = (name: string) =>
    RelyingParty.start(stack, { name, audience: 'people', backchannelLogoutUri: `${origin}/${name}` });
  [staff, desk] = [await start('staff'), await start('desk')];
});
afterAll(async () => {
  await stack.stop();
  receiver.closeAllConnections();
  receiver.close();
});
beforeEach(() => {
  notified = [];
});

const publish = (...args: Parameters<typeof directoryEvent>) => stack.publishFromDirectory(directoryEvent(...args));
const assigned = (...apps: RelyingParty[]) => newPerson(apps.map(({ app }) => app));
const stateOf = (person: string) =>
  stack.database.query<{ model: string; version: number; client_id: string | null }>(
    `SELECT model, version, client_id FROM auth.oidc_state WHERE account = $1 AND model <> 'Interaction'`,
    [person],
  );
const modelsAt = async (person: string, { app }: RelyingParty) =>
  (await stateOf(person)).filter(({ client_id: clientId }) => clientId === app.clientId).map(({ model }) => model);
const notificationsOf = (person: string) => notified.filter(([, subject]) => subject === person);
/** Waits until every earlier event is consumed. */
async function consumed() {
  const as = assigned(staff);
  await staff.signIn({ as });
  await publish('user.erasure_started', { user: as });
  await eventually(async () => (await stateOf(as)).length === 0);
}

describe('the end of access to one app', () => {
  test.each([
    ['assignment.ended', 'of the person'],
    ['assignment.ended', 'of a group'],
    ['group.member_removed', ''],
  ] as const)('by %s %s revokes that app at once, notifies it, and leaves the others', async (type, of) => {
    const as = assigned(staff, desk);
    const { browser, refreshToken, tokens } = await staff.signIn({ as });
    const other = await desk.signIn({ as, browser, more: { prompt: 'login' } });
    const colleague = await staff.signIn({ as: assigned(staff) });
    people.get(as)!.apps.delete(staff.app.clientId);
    const isOfGroup = of === 'of a group';
    await publish(type, {
      ...(isOfGroup ? { group: someGroup } : { user: as }),
      ...(type === 'assignment.ended' && { app: staff.app.clientId }),
    });
    await eventually(async () => (await modelsAt(as, staff)).length === 0);
    await eventually(() => notificationsOf(as).length > 0);
    expect(notificationsOf(as)).toEqual([['/staff', as]]);
    expect((await staff.refresh(refreshToken)).json.error).toBe('invalid_grant');
    expect((await staff.userinfo(tokens.access_token)).status).toBe(401);
    expect((await desk.refresh(other.refreshToken)).status).toBe(200);
    expect(await desk.authorize(browser, { prompt: 'none' })).toMatchObject({ code: expect.any(String) });
    expect((await staff.refresh(colleague.refreshToken)).status).toBe(200);
    // What was revoked stays revoked when the person is assigned again.
    people.get(as)!.apps.add(staff.app.clientId);
    expect((await staff.refresh(refreshToken)).json.error).toBe('invalid_grant');
    expect((await staff.userinfo(tokens.access_token)).status).toBe(401);
    const again = await staff.signIn({ as, browser, more: { prompt: 'login' } });
    // Late and repeated: the person is assigned now.
    await publish(type, { user: as, app: staff.app.clientId });
    await publish('assignment.ended', { group: someGroup, app: staff.app.clientId });
    await consumed();
    expect((await staff.refresh(again.refreshToken)).status).toBe(200);
  });

  test('deletes the session when no app is left in it', async () => {
    const as = assigned(staff);
    const { browser } = await staff.signIn({ as });
    people.get(as)!.apps.clear();
    await publish('assignment.ended', { user: as, app: staff.app.clientId });
    await eventually(async () => (await stateOf(as)).length === 0);
    expect(await staff.authorize(browser, {})).toMatchObject({ location: expect.stringContaining('/sign-in/') });
  });

  test('stores no token for a request that was in progress', async () => {
    const as = assigned(staff);
    const { code, verifier } = await staff.code({ as });
    const access = Object.getOwnPropertyDescriptor(People.prototype, 'access')!.value as People['access'];
    // The assignment ends after the token request has queried directory.
    const spy = jest.spyOn(People.prototype, 'access').mockImplementationOnce(async function (this: People, ...args) {
      const reply = await access.apply(this, args);
      people.get(as)!.apps.clear();
      await publish('assignment.ended', { user: as, app: staff.app.clientId });
      await eventually(async () => (await modelsAt(as, staff)).length === 0);
      return reply;
    });
    expect((await staff.exchange({ code, code_verifier: verifier })).json.error).toBe('invalid_grant');
    spy.mockRestore();
    expect(await modelsAt(as, staff)).toEqual([]);
    await eventually(() => notificationsOf(as).length > 0);
    expect(notificationsOf(as)).toEqual([['/staff', as]]);
  });

  test('of a group revokes more people than one query may name, and nobody else', async () => {
    const crowded = await RelyingParty.start(stack, { name: 'crowded', audience: 'people' });
    const kept = await crowded.signIn({ as: assigned(crowded) });
    const accounts = Array.from({ length: 1100 }, () => assigned());
    const ids = accounts.map((account) => sha256(account));
    const payloads = ids.map((id, i) =>
      sealPayload([Buffer.alloc(32, 9)], 'acme', 'Grant', id, {
        clientId: crowded.app.clientId,
        accountId: accounts[i]!,
      }),
    );
    await stack.database.query(
      `INSERT INTO auth.oidc_state (org, model, id, account, version, client_id, payload, expires_at)
       SELECT 'acme', 'Grant', id, account, 1, $4, payload, now() + interval '1 hour'
       FROM unnest($1::bytea[], $2::uuid[], $3::bytea[]) AS n (id, account, payload)`,
      [ids, accounts, payloads, crowded.app.clientId],
    );
    await publish('assignment.ended', { group: someGroup, app: crowded.app.clientId });
    const left = () =>
      stack.database.query<{ account: string }>(
        `SELECT account FROM auth.oidc_state WHERE model = 'Grant' AND client_id = $1 AND account = ANY ($2)`,
        [crowded.app.clientId, [...accounts, kept.as]],
      );
    await eventually(async () => (await left()).length === 1);
    expect(await left()).toEqual([{ account: kept.as }]);
    expect((await crowded.refresh(kept.refreshToken)).status).toBe(200);
  });
});

describe('the end of every sign-in', () => {
  test.each(['user.deactivated', 'user.activated'] as const)('%s revokes all earlier ones', async (type) => {
    const as = assigned(staff, desk);
    const { browser, refreshToken } = await staff.signIn({ as });
    await desk.authorize(browser, {});
    await publish(type, { user: as, version: 5 });
    await eventually(async () => (await stateOf(as)).length === 0);
    await eventually(() => notificationsOf(as).length === 2);
    expect(notificationsOf(as).sort()).toEqual([
      ['/desk', as],
      ['/staff', as],
    ]);
    // Directory says no more than the event: what was revoked does not come back.
    expect((await staff.refresh(refreshToken)).json.error).toBe('invalid_grant');
    people.get(as)!.version = 6;
    const again = await staff.signIn({ as });
    await publish(type, { user: as, version: 5 });
    await consumed();
    expect((await staff.refresh(again.refreshToken)).status).toBe(200);
  });

  test('user.updated after the removal of a passkey revokes the sign-ins that no longer count', async () => {
    const [as, renamed] = [assigned(staff), assigned(staff)];
    await staff.signIn({ as });
    const { refreshToken } = await staff.signIn({ as: renamed });
    Object.assign(people.get(as)!, { version: 4, since: 4 });
    people.get(renamed)!.version = 4;
    await publish('user.updated', { user: renamed, version: 4 });
    await publish('user.updated', { user: as, version: 4 });
    await eventually(async () => (await stateOf(as)).length === 0);
    expect((await staff.refresh(refreshToken)).status).toBe(200);
  });

  test('an erasure deletes every row of the person, and none is stored afterwards', async () => {
    const as = assigned(staff);
    const { refreshToken } = await staff.signIn({ as });
    await staff.code({ as });
    const { url } = await staff.begin();
    await publish('user.erasure_started', { user: as, version: 3 });
    await eventually(
      async () => (await stack.database.query('SELECT 1 FROM auth.oidc_state WHERE account = $1', [as])).length === 0,
    );
    await expect(new TestBrowser(stack.base).signIn(url, as)).rejects.toThrow('unknown_sign_in');
    expect((await staff.refresh(refreshToken)).json.error).toBe('invalid_grant');
    await publish('user.removed', { user: as, version: 3 });
    await consumed();
    for (const table of ['oidc_state', 'session_revocation', 'logout_notification', 'record_outbox'])
      expect(JSON.stringify(await stack.database.query(`SELECT * FROM auth.${table}`))).not.toContain(as);
  });

  test('events of directory leave customers alone', async () => {
    const shop = await RelyingParty.start(stack);
    const { refreshToken } = await shop.signIn({ as: newCustomer() });
    await publish('assignment.ended', { group: someGroup, app: shop.app.clientId });
    await consumed();
    expect((await shop.refresh(refreshToken)).status).toBe(200);
    expect(
      await stack.database.query(`SELECT 1 FROM auth.oidc_state WHERE client_id = $1`, [shop.app.clientId]),
    ).toEqual([]);
  });
});

// A person from invitation to removal, by the Admin API and the hub. Their address and name are stored nowhere in plain
// text, not even before; after the removal nothing leads to them, and the log is still proved.
import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, expect, it } from '@jest/globals';
import type { AccessRequest, User } from '@holdfast/contracts';
import { bytesOf, eventually, guessable, SoftwareAuthenticator, traces } from '@holdfast/testing';
import { callApi, Client } from '../clients/client.ts';
import { closeConnections } from '../clients/http.ts';
import { stack } from '../clients/under-test.ts';
import { newPerson, signInToHub } from '../people/person.fixture.ts';
import { origin } from '../sign-in/customer.fixture.ts';
import { RelyingParty } from '../sign-in/relying-party.fixture.ts';
import { UserAgent, type BrowserResponse } from '../sign-in/user-agent.ts';
import { filesOfAllRelations, rowsOfAllTables } from '../stack/database.ts';
import { LogKeeper, withoutPersonalData } from './log-export.fixture.ts';
import { filesBelow, found, spellings } from './stored-files.fixture.ts';

interface Invited {
  user: User;
  invitationUrl: string;
}

let org: string;
let owner: UserAgent;
let auditor: Client;
let keeper: LogKeeper;
let staff: RelyingParty;
let other: RelyingParty;
let api: string;

beforeAll(async () => {
  org = await stack.newOrganization();
  api = `/o/${org}/api/admin`;
  const grants = ['audit:read', 'audit:export', 'webhooks:manage'];
  auditor = new Client(stack, await stack.newApp(org, 'auditor', grants, 'service'), grants);
  keeper = await LogKeeper.of(auditor);
  staff = await RelyingParty.make(org, 'staff', { audience: 'people' });
  other = await RelyingParty.make(org, 'wiki', { audience: 'people' });
  ({ agent: owner } = await signInToHub(await newPerson(org, ['owner'])));
});
afterAll(() => {
  keeper.remove();
  closeConnections();
});

/** A request of a signed-in person; fails unless it has the expected status. */
async function send<Body>(
  agent: UserAgent,
  method: string,
  path: string,
  json?: unknown,
  status = 200,
  headers: Record<string, string> = {},
): Promise<Body> {
  const sameOrigin = { origin, 'sec-fetch-site': 'same-origin', accept: 'application/json', ...headers };
  const reply: BrowserResponse = await agent.go(path.startsWith('/') ? path : `${api}/${path}`, {
    method,
    headers: { ...sameOrigin, ...(json !== undefined && { 'content-type': 'application/json' }) },
    ...(json !== undefined && { body: JSON.stringify(json) }),
  });
  expect([method, path, reply.status, reply.text]).toEqual([method, path, status, reply.text]);
  return reply.json as Body;
}
const keyed = () => ({ 'idempotency-key': randomUUID() });
const invite = (email: string, name: string) =>
  send<Invited>(owner, 'POST', 'users', { email, name, roles: ['support'] }, 201, keyed());

async function accept({ invitationUrl }: Invited): Promise<SoftwareAuthenticator> {
  const token = new URL(invitationUrl).hash.slice(1);
  const authenticator = new SoftwareAuthenticator();
  const path = `/o/${org}/api/invitation`;
  const begun = await callApi<{ options: object }>(stack, 'POST', `${path}/options`, { json: { token } });
  const response = authenticator.register(begun.body.options, { origin });
  const headers = { cookie: (begun.headers['set-cookie'] ?? '').split(';')[0]! };
  const { status } = await callApi(stack, 'POST', `${path}/complete`, { json: { token, response }, headers });
  expect(status).toBe(200);
  return authenticator;
}

const removedInFeed = (id: string) =>
  eventually(
    async () => (await auditor.feed()).some((e) => e.type === 'user.removed' && e.data.user === id),
    'user.removed in the feed',
  );

/**
 * The whole database without the event `user.removed`, which tells the organization, and without entries of the
 * revocation feed, which lose the id when they affect no token any more, 20 minutes later.
 */
const dump = async () =>
  (await rowsOfAllTables(stack))
    .filter(({ table, text }) => table !== 'signals.event' || !text.includes('user.removed'))
    .filter(({ table, text }) => table !== 'directory.access_change' || !/,person,/.test(text))
    .map(({ text }) => text)
    .join('\n');
const dumpWithout = (values: string[]) =>
  eventually(async () => {
    const text = await dump();
    return traces(text, values).length === 0 && text;
  }, 'a dump without the person');

/** Throws when one of the texts is in a table, in a file of one, in JetStream, in a log or in another file. */
async function requireNowhere(texts: string[]): Promise<void> {
  const forms = texts.flatMap(spellings);
  expect(traces(await dump(), forms)).toEqual([]);
  expect(found(await filesOfAllRelations(stack), forms)).toEqual([]);
  expect(found([...filesBelow('logs'), ...filesBelow('nats'), ...filesBelow('checkpoints')], forms)).toEqual([]);
}

it('leaves no byte of the address or name of a removed person anywhere, and nothing that leads to them', async () => {
  // Address, local part and each word of the name, before and after a change. They are only ever personal data.
  const personal = ['Zoraquill', 'kvintmarrow', 'Eldwynthorpe', 'Hábrinková', 'postrellune'];
  // Free text is stored in plain text for a moment, in the outbox, so its words are searched at the end only.
  const texts = ['Orphicdune called from the lake', 'Sablefern is not on duty', 'Thistlevane laptop'];
  const browser = 'Mozilla/5.0 (Canary; of Wrenmossby alone)';
  const group = await send<{ id: string }>(owner, 'POST', 'groups', { name: 'Night shift' }, 201);
  await send(owner, 'POST', `apps/${staff.app.clientId}/assignments`, { group: group.id }, 201);

  const invited = await invite('zoraquill.kvintmarrow@example.com', 'Zoraquill Eldwynthorpe');
  const { id } = invited.user;
  const changed = { email: 'postrellune@example.org', name: 'Zoraquill Hábrinková' };
  await send(owner, 'PATCH', `users/${id}`, changed, 200, keyed());
  const authenticator = await accept(invited);
  await send(owner, 'POST', `groups/${group.id}/members`, { users: [id] });
  const agent = new UserAgent(stack.baseUrl, browser);
  await signInToHub({ org, authenticator }, agent);
  const me = `users/me`;
  expect(await send<User>(agent, 'GET', me)).toMatchObject(changed);
  const second = new SoftwareAuthenticator();
  const { options } = await send<{ options: object }>(agent, 'POST', `${me}/passkeys/options`, {});
  const response = second.register(options, { origin });
  await send(agent, 'POST', `${me}/passkeys`, { response, name: texts[2] }, 201, keyed());
  const scope = 'openid email profile groups';
  const signedIn = await staff.signIn(second, { agent: new UserAgent(stack.baseUrl, browser), more: { scope } });
  expect(signedIn.claims).toMatchObject({ sub: id, email: changed.email, name: changed.name });
  expect((await staff.userinfo(signedIn.accessToken)).json).toMatchObject({ email: changed.email });
  expect((await staff.refresh(signedIn.refreshToken)).status).toBe(200);
  const wanted = { app: other.app.clientId, reason: texts[0], durationSeconds: 3600 };
  const { id: denied } = await send<AccessRequest>(agent, 'POST', 'access-requests', wanted, 201, keyed());
  await send(owner, 'POST', `access-requests/${denied}/deny`, { reason: texts[1] });
  const { id: approved } = await send<AccessRequest>(agent, 'POST', 'access-requests', wanted, 201);
  await send(owner, 'POST', `access-requests/${approved}/approve`, {});
  for (const q of ['zoraquill', 'HÁBRINKOVÁ', changed.email])
    expect(
      (await send<{ items: User[] }>(owner, 'GET', `users?q=${encodeURIComponent(q)}`)).items.map((u) => u.id),
    ).toEqual([id]);
  // Mistakes of callers: an address that is taken, and one in the place of an id.
  await send(owner, 'POST', 'users', { ...changed, roles: [] }, 409);
  await send(owner, 'POST', 'users', { email: `=${changed.email}`, name: changed.name }, 422);
  await owner.go(`${api}/users/${changed.email}`);
  await send(owner, 'POST', `users/${id}/roles`, { roles: ['auditor'] });

  const passkeys = [authenticator, second].flatMap(({ passkeys: all }) => all);
  const bytes = passkeys.flatMap((passkey) => [passkey.id, passkey.userHandle]);
  const ids = [id, denied, approved, ...bytes.map((value) => bytesOf(value).toString('hex'))];
  const records = (await auditor.wholeLog()).filter((e) => JSON.stringify(e).includes(id));
  expect(records.map((e) => e.action)).toEqual(
    expect.arrayContaining(['user.invite', 'user.activate', 'user.sign_in', 'passkey.add', 'role.change', 'user.read']),
  );
  const proofs = await Promise.all(records.map((record) => keeper.proofOf(record.id)));
  await keeper.keepCheckpoint('before.checkpoint');
  expect(await keeper.export('before.ndjson')).toContain(id);
  const before = await dump();
  for (const value of [id, ...ids.slice(3)]) expect([value, traces(before, [value]).length]).not.toEqual([value, 0]);
  expect(guessable(before, [id])).toEqual([id]);
  expect(traces(before, spellings('Night shift'))).not.toEqual([]);
  await requireNowhere(personal);

  await send(owner, 'DELETE', `users/${id}`, undefined, 204, keyed());
  await send(owner, 'GET', `users/${id}`, undefined, 404);
  await removedInFeed(id);
  const left = await dumpWithout([...ids, ...texts.flatMap(spellings), browser]);
  const everything = [...ids, ...personal, changed.email, changed.name, ...texts, browser];
  expect([...traces(left, personal.flatMap(spellings)), ...guessable(left, everything)]).toEqual([]);
  await eventually(
    () => found(filesBelow('nats', 'jetstream'), [id, ...texts]).length === 0,
    'files of JetStream without the person',
  );
  const inNoLog = [...personal.flatMap(spellings), ...texts, browser, ...ids.slice(3)];
  expect(found(filesBelow('logs'), inNoLog)).toEqual([]);

  const feed = (await auditor.feed()).filter((event) => traces(JSON.stringify(event), [id]).length > 0);
  expect(feed.map(({ type, data }) => ({ type, data }))).toEqual([{ type: 'user.removed', data: { user: id } }]);
  for (const filter of [{ target: id }, { actor: id }, { target: denied }] as Record<string, string>[])
    expect(await auditor.wholeLog(filter)).toEqual([]);
  const log = await auditor.wholeLog();
  expect(traces(JSON.stringify(log), [...ids, ...[...personal, ...texts].flatMap(spellings)])).toEqual([]);
  for (const event of records)
    expect(withoutPersonalData(log.find((e) => e.id === event.id)!)).toEqual(withoutPersonalData(event));
  for (const [i, proof] of proofs.entries()) await keeper.requireProved(records[i]!.id, proof);
  expect(await keeper.verify('before.ndjson')).toMatchObject({ verified: true, findings: [] });
  const after = await keeper.export('after.ndjson');
  expect(await keeper.verify('after.ndjson', 'before.checkpoint')).toMatchObject({ verified: true, findings: [] });
  expect(traces(after, [...ids, ...[...personal, ...texts].flatMap(spellings)])).toEqual([]);
});

it('leaves nothing of a person who was invited, never came and is removed', async () => {
  const personal = ['Nimbelwright', 'orlacrest'];
  const invited = await invite('orlacrest@example.net', 'Nimbelwright');
  const { id } = invited.user;
  const token = new URL(invited.invitationUrl).hash.slice(1);
  await callApi(stack, 'POST', `/o/${org}/api/invitation`, { json: { token } });
  expect(traces(await dump(), [id])).not.toEqual([]);
  await send(owner, 'DELETE', `users/${id}`, undefined, 204);
  await removedInFeed(id);
  const left = await dumpWithout([id, token, ...personal.flatMap(spellings)]);
  expect(guessable(left, [id, token, 'orlacrest@example.net', 'Nimbelwright'])).toEqual([]);
  expect(found([...filesBelow('logs'), ...filesBelow('nats')], [token, ...personal.flatMap(spellings)])).toEqual([]);
  expect(await auditor.wholeLog({ target: id })).toEqual([]);
  expect((await auditor.feed()).filter((event) => JSON.stringify(event).includes(id))).toHaveLength(1);
  const spent = await callApi<{ code: string }>(stack, 'POST', `/o/${org}/api/invitation`, { json: { token } });
  expect([spent.status, spent.body.code]).toEqual([404, 'unknown_invitation']);
  await keeper.export('invited.ndjson');
  expect(await keeper.verify('invited.ndjson')).toMatchObject({ verified: true, findings: [] });
});

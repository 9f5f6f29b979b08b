// People from outside: invited by the operator, they accept with a passkey; links tell what happened to them; programs
// with users:read find people and change nothing; a removed person leaves no trace.
import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { invitePerson, type Role, type User, type UserPasskey } from '@holdfast/contracts';
import { eventually, guessable, SoftwareAuthenticator, traces } from '@holdfast/testing';
import { callApi, Client } from '../clients/client.ts';
import { closeConnections, type Problem } from '../clients/http.ts';
import { stack } from '../clients/under-test.ts';
import { rowsOfAllTables } from '../stack/database.ts';

const origin = new URL(stack.baseUrl).origin;
const nobody = '00000000-0000-4000-8000-000000000000';

interface Invited {
  user: User;
  invitationUrl: string;
}

let org: string;
let reader: Client;
let auditor: Client;

beforeAll(async () => {
  org = await stack.newOrganization();
  const grants = ['audit:read', 'webhooks:manage'];
  const apps = await Promise.all([
    stack.newApp(org, 'reader', ['users:read'], 'service'),
    stack.newApp(org, 'auditor', grants, 'service'),
  ]);
  reader = new Client(stack, apps[0], ['users:read']);
  auditor = new Client(stack, apps[1], grants);
});
afterAll(closeConnections);

const invite = (email: string, name: string, ...roles: Role[]): Promise<Invited> =>
  stack.request(invitePerson, { email, name, roles }, org);
const tokenOf = ({ invitationUrl }: Invited) => new URL(invitationUrl).hash.slice(1);
const link = <Body>(token: string) =>
  callApi<Body & Problem>(stack, 'POST', `/o/${org}/api/invitation`, { json: { token } });

async function accept(token: string, authenticator = new SoftwareAuthenticator(), withCookie = true) {
  const path = `/o/${org}/api/invitation`;
  const begun = await callApi<{ options: object } & Problem>(stack, 'POST', `${path}/options`, { json: { token } });
  if (begun.status !== 200) return begun;
  const cookie = (begun.headers['set-cookie'] ?? '').split(';')[0]!;
  return callApi<Problem>(stack, 'POST', `${path}/complete`, {
    json: { token, response: authenticator.register(begun.body.options, { origin }) },
    headers: { ...(withCookie && { cookie }) },
  });
}

const users = (query = '') => reader.call<{ items: User[] }>('GET', `${reader.api}/admin/users${encodeURI(query)}`);
const idsOf = async (query: string) => (await users(query)).body.items.map(({ id }) => id);

it('an invitation is read without effect and without the person, accepted once, and says so afterwards', async () => {
  const invited = await invite('ada.quill@example.com', 'Ada Quill', 'owner');
  const token = tokenOf(invited);
  expect(invited.invitationUrl).toMatch(new RegExp(`^${stack.baseUrl}/o/${org}/invitation#[\\w-]{43}$`));
  for (let i = 0; i < 2; i += 1) {
    const { status, body } = await link<object>(token);
    expect([status, body]).toEqual([
      200,
      { organization: { name: expect.any(String) }, state: 'open', recovery: false, expiresAt: expect.any(String) },
    ]);
  }
  expect((await accept(token, new SoftwareAuthenticator(), false)).body.code).toBe('ceremony_expired');
  expect((await accept(token)).status).toBe(200);
  expect(await accept(token)).toMatchObject({ status: 410, body: { code: 'invitation_accepted' } });
  expect((await link<{ state: string }>(token)).body.state).toBe('accepted');
  expect(await accept('x'.repeat(43))).toMatchObject({ status: 404, body: { code: 'unknown_invitation' } });
  expect(await link('../../etc/passwd')).toMatchObject({ status: 404, body: { code: 'unknown_invitation' } });

  const shown = await reader.call<User>('GET', `${reader.api}/admin/users/${invited.user.id}`);
  expect(shown.body).toMatchObject({ email: 'ada.quill@example.com', status: 'active', roles: ['owner'] });
  const log = await auditor.wholeLog({ target: invited.user.id });
  expect(log.map(({ action, actor }) => `${action} ${actor.type}`)).toEqual(
    expect.arrayContaining(['user.invite operator', 'user.activate person', 'user.read app']),
  );
});

it('a new link supersedes the earlier one, and a withdrawn one is closed', async () => {
  const first = await invite('bo@example.com', 'Bo');
  const second = await stack.operator<Invited>('person', 'recover', org, first.user.id);
  expect((await link<{ state: string }>(tokenOf(first))).body.state).toBe('withdrawn');
  expect(await accept(tokenOf(first))).toMatchObject({ status: 410, body: { code: 'invitation_withdrawn' } });
  await stack.operator('person', 'withdraw', org, first.user.id);
  expect(await accept(tokenOf(second))).toMatchObject({ status: 410, body: { code: 'invitation_withdrawn' } });
});

it('people are listed and found by prefixes; malformed searches are 400', async () => {
  const { user } = await invite('find.me@example.org', 'Žofie Nováková', 'support');
  for (const query of ['?q=žof', '?q=NOVÁK', '?q=find.me@', '?role=support', '?q=nov žofie&status=invited'])
    expect([query, await idsOf(query)]).toEqual([query, [user.id]]);
  for (const query of ['?q=zof', '?q=example', `?group=${nobody}`])
    expect([query, await idsOf(query)]).toEqual([query, []]);
  for (const query of [
    '?q=a',
    '?q=\u0000x',
    '?q=a\u202eb',
    '?role=king',
    '?status=x',
    '?group=x',
    '?limit=0',
    '?limit=201',
  ])
    expect([query, (await users(query)).status]).toEqual([query, 400]);
  const first = await reader.call<{ nextPageToken: string }>('GET', `${reader.api}/admin/users?limit=1`);
  const next = await reader.call<Problem>(
    'GET',
    `${reader.api}/admin/users?limit=1&q=find&next_page_token=${first.body.nextPageToken}`,
  );
  expect(next).toMatchObject({ status: 400, body: { code: 'invalid_page_token' } });
});

it('a program with users:read can change nothing, and one without it reads nothing', async () => {
  const { user } = await invite('protection@example.com', 'Protection');
  const base = `${reader.api}/admin/users`;
  const changes = [
    ['POST', base, { email: 'x@example.com', name: 'X', roles: ['owner'] }],
    ['PATCH', `${base}/${user.id}`, { name: 'X' }],
    ['DELETE', `${base}/${user.id}`],
    ['POST', `${base}/${user.id}/roles`, { roles: ['owner'] }],
    ['POST', `${base}/${user.id}/deactivate`],
    ['POST', `${base}/${user.id}/reactivate`],
    ['POST', `${base}/${user.id}/invitation`, {}],
    ['DELETE', `${base}/${user.id}/invitation`],
    ['GET', `${base}/me`],
    ['POST', `${base}/me/passkeys`, {}],
    ['DELETE', `${base}/${user.id}/passkeys/${nobody}`],
  ] as const;
  for (const [method, path, json] of changes)
    expect([method, path, (await reader.call<Problem>(method, path, { ...(json && { json }) })).body.code]).toEqual([
      method,
      path,
      'insufficient_scope',
    ]);
  expect((await auditor.call<Problem>('GET', base)).body.code).toBe('insufficient_scope');
  const denied = (await auditor.wholeLog()).filter(({ outcome }) => outcome.result === 'denied');
  expect(denied.map(({ action }) => action)).toEqual(
    expect.arrayContaining(['role.change', 'user.invite', 'user.remove']),
  );
});

it('passkeys are listed with the name of their provider; the only one of an active person stays', async () => {
  const invited = await invite('key@example.com', 'Key');
  await accept(tokenOf(invited), new SoftwareAuthenticator({ aaguid: 'd548826e-79b4-db40-a3d8-11116f7e8349' }));
  const path = `${reader.api}/admin/users/${invited.user.id}/passkeys`;
  const { items } = (await reader.call<{ items: UserPasskey[] }>('GET', path)).body;
  expect(items).toEqual([expect.objectContaining({ name: 'Bitwarden', synced: false })]);
  const shown = await stack.operator<User & { passkeys: UserPasskey[] }>('person', 'get', org, invited.user.id);
  expect(shown.passkeys).toEqual(items);
});

it.each([
  ['two @', 'a@b@example.com', 'Ann'],
  ['a look-alike letter', 'аnn@example.com', 'Ann'],
  ['a control character', 'ann\u0001@example.com', 'Ann'],
  ['a formula as address', '=cmd@example.com', 'Ann'],
  ['a formula as name', 'ann@example.com', '=cmd|/C calc!A0'],
  ['a reversed name', 'ann@example.com', 'Ann \u202egnp.exe'],
  ['a line separator', 'ann@example.com', 'Ann\u2028Lee'],
  ['a name of spaces', 'ann@example.com', ' \u00a0 '],
  ['a long name', 'ann@example.com', 'x'.repeat(201)],
])('%s is refused, and nothing is stored', async (_, email, name) => {
  await expect(invite(email, name)).rejects.toThrow();
  expect(await idsOf('?q=ann@example.com')).toEqual([]);
});

it('nothing of a removed person is left in any table, and the log names a pseudonym', async () => {
  const [email, name] = ['canary.wren@aviary.example', 'Canarina Wrenfield'];
  const invited = await invite(email, name, 'admin');
  const { id } = invited.user;
  await accept(tokenOf(invited));
  await stack.operator('person', 'roles', org, id, '--role', 'auditor');
  expect(await idsOf('?q=canary')).toEqual([id]);
  const dump = async () =>
    (await rowsOfAllTables(stack))
      .filter(({ table, text }) => table !== 'signals.event' || !text.includes('user.removed'))
      .map(({ text }) => text)
      .join('\n');
  // The search finds the id now, and never the encrypted address or name.
  const before = await dump();
  expect(traces(before, [id])).not.toEqual([]);
  expect(traces(before, [email, name, 'Wrenfield', 'canary.wren'])).toEqual([]);

  await stack.operator('person', 'remove', org, id, '--yes');
  expect((await reader.call('GET', `${reader.api}/admin/users/${id}`)).status).toBe(404);
  await expect(stack.operator('person', 'remove', org, id, '--yes')).rejects.toThrow();
  await eventually(
    async () => (await auditor.feed()).some((e) => e.type === 'user.removed' && e.data.user === id),
    'user.removed in the feed',
  );
  // The entries of the revocation feed lose the id when they affect no token any more, 20 minutes later.
  const left = await eventually(async () => {
    const text = (await dump())
      .split('\n')
      .filter((row) => !/,person,/.test(row))
      .join('\n');
    return traces(text, [id]).length === 0 && text;
  }, 'a dump without the person');
  expect([...traces(left, [email, name]), ...guessable(left, [id, email, name])]).toEqual([]);
  expect(await auditor.wholeLog({ target: id })).toEqual([]);
  const removal = (await auditor.wholeLog()).filter(({ action }) => action === 'user.remove');
  expect(removal.find(({ outcome }) => outcome.result === 'success')!.targets).toEqual([
    { type: 'person', id: expect.stringMatching(/^[\w-]{22}$/) },
  ]);
  // The address can be used again.
  await expect(invite(email, name)).resolves.toMatchObject({ user: { email } });
});

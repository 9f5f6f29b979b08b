// A program that holds every operation that a program can hold tries to get more, by every route: each attempt is
// refused, and is in the log as that program's (product §4). What it may do to apps is in admin-apps.spec.ts.
import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import {
  adminOperations,
  hubClientId,
  listApps,
  listGroups,
  listPeople,
  listSecrets,
  neverGrantable,
  type AuditEvent,
} from '@holdfast/contracts';
import { eventually } from '@holdfast/testing';
import { Client, requestToken } from '../clients/client.ts';
import { closeConnections, type Problem } from '../clients/http.ts';
import { customerScopes, stack } from '../clients/under-test.ts';
import { HubUser, newPerson, type Person } from '../people/person.fixture.ts';
import { UserAgent } from '../sign-in/user-agent.ts';
import type { App } from '../stack/stack.ts';

let org: string;
let program: Client;
let auditor: Client;
let shop: App;
let exporter: App;
let site: App;
let backend: App;
let person: Person;

beforeAll(async () => {
  org = await stack.newOrganization();
  const grants = Object.keys(adminOperations);
  let app: App;
  let log: App;
  [app, log, shop, exporter, site, backend, person] = await Promise.all([
    stack.newApp(org, 'program', grants, 'service'),
    stack.newApp(org, 'auditor', ['audit:read'], 'service'),
    stack.newApp(org, 'shop', customerScopes),
    stack.newApp(org, 'exporter', ['audit:export'], 'service'),
    stack.newApp(org, 'site', [], 'spa'),
    stack.newApp(org, 'backend', []),
    newPerson(org),
  ]);
  program = new Client(stack, app, grants);
  auditor = new Client(stack, log);
});
afterAll(closeConnections);

type Attempt = [
  what: string,
  method: string,
  path: () => string,
  json: object | (() => object) | undefined,
  response: string,
];

const evil = 'https://evil.example/in';
const self = () => `/apps/${program.app.clientId}`;
const hub = () => `/apps/${hubClientId(org)}`;
const scoped = () => `/apps/${shop.clientId}`;
const service = () => `/apps/${exporter.clientId}`;
const publicApp = () => `/apps/${site.clientId}`;
const webApp = () => `/apps/${backend.clientId}`;
const denied = '403 app_protected';
const forPeople = '403 insufficient_scope';

/** Every change of an app that could give its rights to somebody else. */
const takeovers = (what: string, at: () => string): Attempt[] => [
  [`another redirect URI of ${what}`, 'PATCH', at, { redirectUris: [evil] }, denied],
  [`another post-logout redirect URI of ${what}`, 'PATCH', at, { postLogoutRedirectUris: [evil] }, denied],
  [`another back-channel logout URI of ${what}`, 'PATCH', at, { backchannelLogoutUri: evil }, denied],
  [`keys for ${what}`, 'PATCH', at, { jwks: { keys: [{ kty: 'OKP', crv: 'Ed25519', x: 'A'.repeat(43) }] } }, denied],
  [`keys elsewhere for ${what}`, 'PATCH', at, { jwksUri: evil }, denied],
  [`tokens of ${what} without a proof`, 'PATCH', at, { requireDpop: false }, denied],
  [`scopes of ${what}`, 'PATCH', at, { scopes: ['audit:read'] }, '422 invalid_request'],
  [`a secret of ${what}`, 'POST', () => `${at()}/secrets`, undefined, denied],
  [`the end of a secret of ${what}`, 'DELETE', () => `${at()}/secrets/sec_abcdefghijkl`, undefined, denied],
  [`${what} enabled`, 'POST', () => `${at()}/enable`, undefined, denied],
  [`${what} deleted`, 'DELETE', at, undefined, denied],
  [`a grant to ${what}`, 'POST', () => `${at()}/grants`, { operations: ['offers:write'] }, forPeople],
  [`a right of people for ${what}`, 'POST', () => `${at()}/grants`, { operations: ['roles:manage'] }, forPeople],
  [`a grant of ${what} taken`, 'DELETE', () => `${at()}/grants/audit:read`, undefined, forPeople],
];

const attempts: Attempt[] = [
  ...takeovers('itself', self),
  ...takeovers('the hub', hub),
  ...takeovers('an app with a scope', scoped),
  ...takeovers('another service app', service),
  ...takeovers('a public app of others', publicApp),
  ...takeovers('a web app of others', webApp),
  ['the name of an app', 'PATCH', publicApp, { name: 'Free' }, denied],
  ['an app with the name of the shop', 'POST', () => '/apps', { name: 'SH0P', kind: 'spa' }, '409 conflict'],
  ['an app of Holdfast', 'POST', () => '/apps', { name: 'Holdfast', kind: 'spa' }, '422 invalid_request'],
  ['a service app', 'POST', () => '/apps', { name: 'mine', kind: 'service' }, denied],
  [
    'an app that is born with scopes',
    'POST',
    () => '/apps',
    { name: 'mine', kind: 'web', scopes: ['offers:write'] },
    '422 invalid_request',
  ],
  ['a group with a role', 'POST', () => '/groups', { name: 'Owners', roles: ['owner'] }, '422 invalid_request'],
  ['a role for a person', 'POST', () => `/users/${person.id}/roles`, { roles: ['owner'] }, forPeople],
  [
    'an owner of its own',
    'POST',
    () => '/users',
    { email: 'me@evil.example', name: 'Me', roles: ['owner'] },
    forPeople,
  ],
  ['a person of its own', 'POST', () => '/users', { email: 'me@evil.example', name: 'Me' }, forPeople],
  ['a link in the name of a person', 'POST', () => `/users/${person.id}/invitation`, {}, forPeople],
  ['the address of a person', 'PATCH', () => `/users/${person.id}`, { email: 'me@evil.example' }, forPeople],
  ['a passkey', 'POST', () => '/users/me/passkeys/options', undefined, forPeople],
  ['an account', 'GET', () => '/users/me', undefined, forPeople],
  [
    'an access request that it could approve',
    'POST',
    () => '/access-requests',
    () => ({ app: shop.clientId, reason: 'Because', durationSeconds: 3600 }),
    forPeople,
  ],
  ['the hub for a person', 'POST', () => `${hub()}/assignments`, () => ({ user: person.id }), '422 invalid_request'],
];

const send = ([, method, path, json]: Attempt, id: string) =>
  program.call<Problem>(method, `${program.api}/admin${path()}`, {
    headers: { 'x-request-id': id },
    ...(json && { json: typeof json === 'function' ? (json() as object) : json }),
  });
/** The records of these requests. */
const recordsOf = async (ids: string[]): Promise<AuditEvent[]> => {
  const log = await auditor.wholeLog();
  return ids.flatMap((id) => log.find(({ request }) => request.id === id) ?? []);
};

describe('a program with every operation of programs', () => {
  it('gets no further right by any route, and each attempt is in the log', async () => {
    const before = await rightsNow();
    const ids: string[] = [];
    const wrong: string[] = [];
    for (const attempt of attempts) {
      const id = randomUUID();
      ids.push(id);
      const { status, body } = await send(attempt, id);
      if (`${status} ${body?.code}` !== attempt[4]) wrong.push(`${attempt[0]}: ${status} ${body?.code}`);
    }
    expect(wrong).toEqual([]);
    const records = await recordsOf(ids);
    expect(records).toHaveLength(attempts.length);
    expect(records.map(({ actor, outcome }) => `${actor.id} ${outcome.status} ${outcome.code}`)).toEqual(
      attempts.map(([, , , , response]) => `${program.app.clientId} ${response}`),
    );
    for (const [i, { outcome }] of records.entries())
      expect(outcome.result).toBe(attempts[i]![4].startsWith('403') ? 'denied' : 'failure');
    expect(await rightsNow()).toEqual(before);
  });

  it('gets no token with a right of people, and the attempt is in the log', async () => {
    for (const scope of [...neverGrantable, ...customerScopes, 'audit:read roles:manage', 'openid']) {
      const { status, body } = await requestToken(stack, program.app, scope);
      expect([scope, status, body.error]).toEqual([scope, 400, 'invalid_scope']);
    }
    const log = await eventually(async () => {
      const refused = (await auditor.wholeLog({ actor: program.app.clientId })).filter(
        ({ outcome }) => outcome.code === 'invalid_scope',
      );
      return refused.length > 0 && refused;
    });
    expect(log.every(({ outcome }) => outcome.result === 'denied')).toBe(true);
  });

  it('decides what a person requests, but not who requests it', async () => {
    const desk = await stack.createApp({ org, name: 'desk', kind: 'web', audience: 'people' });
    const ann = await HubUser.signIn(person);
    const given = { app: desk.clientId, reason: 'On call', durationSeconds: 3600 };
    const { body } = await ann.call<{ id: string }>('POST', '/access-requests', given);
    const at = `${program.api}/admin/access-requests`;
    expect((await program.call('POST', `${at}/${body.id}/withdraw`)).body.code).toBe('insufficient_scope');
    expect((await program.call('POST', at, { json: { ...given, user: person.id } })).body.code).toBe(
      'insufficient_scope',
    );
    const approved = await program.call<{ decidedBy: object }>('POST', `${at}/${body.id}/approve`);
    expect([approved.status, approved.body.decidedBy]).toEqual([200, { type: 'app', id: program.app.clientId }]);
  });

  it('has no use of the client of the hub: it has no secret, and leads back to the hub alone', async () => {
    const clientId = hubClientId(org);
    for (const clientSecret of ['x', program.app.clientSecret]) {
      const { status, body } = await requestToken(stack, { clientId, clientSecret }, 'audit:read');
      expect([status, body.error]).toEqual([401, 'invalid_client']);
    }
    const query = new URLSearchParams({
      response_type: 'code',
      client_id: clientId,
      redirect_uri: evil,
      scope: 'openid',
      nonce: 'n',
      code_challenge: 'a'.repeat(43),
      code_challenge_method: 'S256',
    });
    const { status, location } = await new UserAgent(stack.baseUrl).go(`/o/${org}/authorize?${query.toString()}`);
    expect([status, location]).toEqual([400, '']);
  });
});

/** Settings, scopes and secrets of the apps, the groups and the people, as the operator sees them. */
async function rightsNow(): Promise<unknown> {
  const { items: apps } = await stack.request(listApps, { org }, org);
  const secrets = await Promise.all(apps.map(({ clientId }) => stack.request(listSecrets, { clientId }, org)));
  const groups = await stack.request(listGroups, { limit: 200 }, org);
  return { apps, secrets, groups, people: await stack.request(listPeople, { limit: 200 }, org) };
}

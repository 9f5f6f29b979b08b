import { describe, expect, it } from '@jest/globals';
import { operationsOf, roleNames } from '@holdfast/contracts';
import { forwardedEndpoints } from '@holdfast/contracts/http';
import { declaredEndpoints } from '../declared-endpoints.js';
import { assertEndpoints, type AssertedEndpoint } from './endpoint-assertion.js';
import { limitClassOf } from './limit-classes.js';
import { RouteTable } from './route-table.js';

const guarded: AssertedEndpoint = {
  id: 'getX',
  method: 'GET',
  path: '/o/{shortId}/x',
  operation: 'issued:read',
  action: 'subject.read',
};
const open: AssertedEndpoint = {
  id: 'getDocs',
  method: 'GET',
  path: '/docs',
  public: 'the same for everybody',
  unrecorded: 'names no caller',
  limit: 'page',
};
const guardedRoute = 'GET /o/{shortId}/x';
const openRoute = 'GET /docs';
const without = (endpoint: AssertedEndpoint, ...keys: (keyof AssertedEndpoint)[]): AssertedEndpoint =>
  Object.fromEntries(Object.entries(endpoint).filter(([key]) => !keys.includes(key as never))) as never;

/** What only ends rights, gives none until somebody else acts, or shows a name. */
const withoutRecentSignIn = [
  ...['deactivateUser', 'removeUser', 'withdrawInvitation', 'removeUserPasskey', 'removeOwnPasskey'],
  ...['renameUserPasskey', 'renameOwnPasskey', 'getOwnPasskeyOptions'],
  ...['createGroup', 'deleteGroup', 'removeGroupMembers', 'deleteAssignment'],
  ...['deleteWebhookEndpoint', 'pauseWebhookEndpoint', 'testWebhookEndpoint'],
  ...['resendWebhookMessage', 'recoverWebhookEndpoint'],
  ...['pauseStream', 'deleteStream', 'resendStreamTokens'],
  ...['updateReceiver', 'disableReceiver', 'deleteReceiver', 'revokeReceiverSecret'],
  ...['disableApp', 'deleteApp', 'revokeAppSecret', 'ungrantOperation'],
  ...['createAccessRequest', 'denyAccessRequest', 'withdrawAccessRequest'],
  ...[
    'adminWithdrawOffer',
    'withdrawOffer',
    'suspendCredential',
    'revokeCredential',
    'endCustomerSessions',
    'endOwnSessions',
    'endOwnSession',
    'deleteAuditExport',
    'deleteAuditDestination',
    'pauseAuditDestination',
    'testAuditDestination',
  ],
];

describe('the start-up assertion', () => {
  it('passes when every route is declared, guarded or public', () => {
    expect(() => assertEndpoints([guardedRoute, openRoute], [guarded, open])).not.toThrow();
  });

  it('passes for every endpoint of the gateway', () => {
    const endpoints = declaredEndpoints();
    expect(endpoints.length).toBeGreaterThan(50);
    const routes = endpoints.map(({ method, path }) => `${method} ${path}`);
    expect(() => assertEndpoints(routes, endpoints)).not.toThrow();
  });

  it('knows every endpoint that is declared beside a contract: a module of the gateway serves it', () => {
    const served = new Set(declaredEndpoints());
    const forwarded = Object.values(forwardedEndpoints).flat();
    expect(forwarded.length).toBeGreaterThan(20);
    expect(forwarded.filter(({ endpoint }) => !served.has(endpoint)).map(({ endpoint }) => endpoint.id)).toEqual([]);
  });

  it.each<[string, string[], AssertedEndpoint[], string]>([
    ['a route without a declaration', ['GET /debug'], [], 'GET /debug is registered without a declaration'],
    ['a declaration without a route', [], [open], 'GET /docs is declared and not registered'],
    ['two declarations of one route', [openRoute], [open, { ...open, id: 'x' }], 'GET /docs is declared twice'],
    ['two endpoints with one id', [openRoute, guardedRoute], [open, { ...guarded, id: open.id }], 'is used twice'],
    [
      'an endpoint that neither needs a token nor is public',
      [openRoute],
      [without(open, 'public')],
      'why it is public',
    ],
    ['a guarded endpoint that is declared public', [guardedRoute], [{ ...guarded, public: 'x' }], 'that it is public'],
    [
      'a guarded endpoint without an audit action',
      [guardedRoute],
      [{ ...without(guarded, 'action'), unrecorded: 'why not' }],
      'needs a token and leaves no audit record',
    ],
    [
      'a public endpoint without audit action or reason',
      [openRoute],
      [without(open, 'unrecorded')],
      'neither an action nor a reason',
    ],
    [
      'an endpoint with both an audit action and a reason to have none',
      [openRoute],
      [{ ...open, action: 'subject.read' }],
      'an action and a reason',
    ],
    ['a public endpoint without a rate limit', [openRoute], [without(open, 'limit')], 'declares no rate limit'],
    [
      'a change that takes no Idempotency-Key',
      ['POST /o/{shortId}/x'],
      [{ ...guarded, method: 'POST' }],
      'takes no Idempotency-Key',
    ],
    [
      'a change of people that leaves open whether it needs a recent sign-in',
      ['POST /o/{shortId}/x'],
      [{ ...guarded, method: 'POST', operation: 'groups:manage', idempotent: true }],
      'neither needs a recent sign-in nor says why it needs none',
    ],
    [
      'a change that needs a recent sign-in and says that it needs none',
      ['POST /o/{shortId}/x'],
      [{ ...guarded, method: 'POST', idempotent: true, stepUp: true, noStepUp: 'it does nothing' }],
      'needs a recent sign-in and says why it needs none',
    ],
  ])('fails for %s', (_, registered, declared, message) => {
    expect(() => assertEndpoints(registered, declared)).toThrow(message);
  });

  it('names every problem at once', () => {
    const start = () => assertEndpoints(['GET /debug', openRoute], [without(open, 'public', 'limit')]);
    expect(start).toThrow(/GET \/debug.*\n.*why it is public\n.*no rate limit/);
  });
});

describe('a change that people make', () => {
  const operations: readonly string[] = operationsOf(roleNames);
  const changes = declaredEndpoints().filter(
    ({ method, operation }) => method !== 'GET' && operation !== undefined && operations.includes(operation),
  );

  it('needs a recent sign-in, unless it is one of these, each of which says why not', () => {
    expect(changes.length).toBeGreaterThan(30);
    expect(changes.filter(({ stepUp }) => !stepUp).map(({ id }) => id)).toEqual(
      expect.arrayContaining(withoutRecentSignIn),
    );
    expect(
      changes.filter(({ stepUp, id }) => !stepUp && !withoutRecentSignIn.includes(id)).map(({ id }) => id),
    ).toEqual([]);
  });

  it.each([
    ['updateUser', { email: 'a@example.com' }, { name: 'Ann' }],
    ['updateGroup', { name: 'Admins' }, { description: null }],
  ])('by %s needs one for what apps derive rights from', (id, widening, other) => {
    const stepUp = changes.find((change) => change.id === id)!.stepUp as (json: unknown) => boolean;
    expect([widening, { ...widening, ...other }, other, undefined, null, 'email', []].map(stepUp)).toEqual([
      true,
      true,
      ...Array<boolean>(5).fill(false),
    ]);
  });
});

describe('RouteTable', () => {
  const table = new RouteTable();
  table.add(['GET', 'HEAD'], '/o/:shortId/api/x');
  table.add('DELETE', '/o/:shortId/api/x/:id');
  table.add('DELETE', '/o/:shortId/api/x/me');
  table.add(['GET', 'HEAD'], '/o/:shortId/api/x/me');
  table.add('GET', '/.well-known/a');

  it('lists routes with parameters in braces', () => {
    expect(table.all()).toEqual([
      'GET /o/{shortId}/api/x',
      'DELETE /o/{shortId}/api/x/{id}',
      'DELETE /o/{shortId}/api/x/me',
      'GET /o/{shortId}/api/x/me',
      'GET /.well-known/a',
    ]);
  });

  it('finds the methods that a path supports', () => {
    expect(table.methodsOf('/o/acme/api/x?a=1')).toEqual(['GET', 'HEAD']);
    expect(table.methodsOf('/o/acme/api/x/1')).toEqual(['DELETE']);
    expect(table.methodsOf('/o/acme/api')).toEqual([]);
    expect(table.methodsOf('/o/acme/api/x/me')).toEqual(['DELETE', 'GET', 'HEAD']);
    expect(table.methodsOf('/Xwell-known/a')).toEqual([]);
  });
});

describe('rate limits', () => {
  it('are declared by every public endpoint of the gateway', () => {
    expect(
      declaredEndpoints()
        .filter((e) => limitClassOf(e) === undefined)
        .map((e) => e.id),
    ).toEqual([]);
  });
});

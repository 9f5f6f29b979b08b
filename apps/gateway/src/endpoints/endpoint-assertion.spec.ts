import { describe, expect, it } from '@jest/globals';
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
  ])('fails for %s', (_, registered, declared, message) => {
    expect(() => assertEndpoints(registered, declared)).toThrow(message);
  });

  it('names every problem at once', () => {
    const start = () => assertEndpoints(['GET /debug', openRoute], [without(open, 'public', 'limit')]);
    expect(start).toThrow(/GET \/debug.*\n.*why it is public\n.*no rate limit/);
  });
});

describe('RouteTable', () => {
  const table = new RouteTable();
  table.add(['GET', 'HEAD'], '/o/:shortId/api/x');
  table.add('DELETE', '/o/:shortId/api/x/:id');
  table.add('GET', '/.well-known/a');

  it('lists routes with parameters in braces', () => {
    expect(table.all()).toEqual(['GET /o/{shortId}/api/x', 'DELETE /o/{shortId}/api/x/{id}', 'GET /.well-known/a']);
  });

  it('finds the methods that a path supports', () => {
    expect(table.methodsOf('/o/acme/api/x?a=1')).toEqual(['GET', 'HEAD']);
    expect(table.methodsOf('/o/acme/api/x/1')).toEqual(['DELETE']);
    expect(table.methodsOf('/o/acme/api')).toEqual([]);
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

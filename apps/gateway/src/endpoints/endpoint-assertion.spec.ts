import { describe, expect, it } from '@jest/globals';
import { limitClassOf } from '../access/rate-limits/limit-classes.js';
import { endpoints } from '../endpoints.js';
import { assertLimited, assertRecorded, assertRoutes } from './endpoint-assertion.js';
import { RouteTable } from './route-table.js';

const guarded = { route: 'GET /o/{shortId}/x', guarded: true };
const open = { route: 'GET /docs', guarded: false };

describe('the assertion at start', () => {
  it('passes when every route is guarded or on the list', () => {
    expect(() => assertRoutes([guarded.route, open.route], [guarded, open], [open.route])).not.toThrow();
  });

  it.each([
    ['a route that nobody declared', ['GET /debug'], [], [], 'GET /debug is registered without a declaration'],
    ['an open route that is not on the list', [open.route], [open], [], 'asks for no token'],
    ['a guarded route on the list', [guarded.route], [guarded], [guarded.route], 'is guarded and on the public list'],
    ['a list with a route that is gone', [], [], ['GET /gone'], 'does not exist'],
  ])('refuses %s', (_, registered, declared, list, message) => {
    expect(() => assertRoutes(registered, declared, list)).toThrow(message);
  });
});

describe('the table of routes', () => {
  const table = new RouteTable();
  table.add(['GET', 'HEAD'], '/o/:shortId/api/x');
  table.add('DELETE', '/o/:shortId/api/x/:id');
  table.add('GET', '/.well-known/a');

  it('writes routes as the specification does', () => {
    expect(table.all()).toEqual(['GET /o/{shortId}/api/x', 'DELETE /o/{shortId}/api/x/{id}', 'GET /.well-known/a']);
  });

  it('knows which methods an address supports', () => {
    expect(table.methodsOf('/o/acme/api/x?a=1')).toEqual(['GET', 'HEAD']);
    expect(table.methodsOf('/o/acme/api/x/1')).toEqual(['DELETE']);
    expect(table.methodsOf('/o/acme/api')).toEqual([]);
    expect(table.methodsOf('/Xwell-known/a')).toEqual([]);
  });
});

describe('the assertion that nothing goes unrecorded', () => {
  it('holds for every endpoint of the house', () => {
    expect(() =>
      assertRecorded(
        endpoints.map(({ method, path, operation, ...e }) => ({
          ...e,
          route: `${method} ${path}`,
          guarded: operation !== undefined,
        })),
      ),
    ).not.toThrow();
  });

  it.each([
    [
      'a guarded endpoint without an action',
      { guarded: true, unrecorded: 'why not' },
      'asks for a token and leaves no audit record',
    ],
    ['a public one that says nothing', { guarded: false }, 'neither an action nor a reason'],
    ['one that says both', { guarded: false, action: 'subject.read', unrecorded: 'why not' }, 'an action and a reason'],
  ])('refuses %s', (_, declared, message) => {
    expect(() => assertRecorded([{ route: 'GET /x', ...declared }])).toThrow(message);
  });
});

describe('rate limits', () => {
  it('refuse a public endpoint that declares none, and nothing else', () => {
    const declared = [
      { route: 'GET /a', guarded: false },
      { route: 'GET /b', guarded: false, limit: 'page' },
      { route: 'GET /c', guarded: true },
    ];
    expect(() => assertLimited(declared)).toThrow('GET /a asks for no token and declares no rate limit');
    expect(() => assertLimited(declared.slice(1))).not.toThrow();
  });

  it('are declared by every public endpoint that there is', () => {
    expect(endpoints.filter((e) => limitClassOf(e) === undefined).map((e) => e.id)).toEqual([]);
  });
});

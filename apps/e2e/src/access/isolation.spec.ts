// Every guarded operation of the API reference × every reason to deny it, generated from /openapi.json.
import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { operationNames, receiverScopeNames } from '@holdfast/contracts';
import { callApi, referenceOf, type Client } from '../clients/client.ts';
import type { Documented } from '../clients/contract.ts';
import { closeConnections } from '../clients/http.ts';
import { demoClient, newClients, stack } from '../clients/under-test.ts';

const reference = await referenceOf(stack);
/** Names of organizations that a router or a look-up could treat otherwise. Each operation is tried with one. */
const oddNames = ['EVERYTHING', 'x', '%00', '..%2f', 'constructor', 'a'.repeat(300)];
const guarded = reference.operations
  .filter((o) => o.scopes.length > 0)
  .map((o, i) => [`${o.method} ${o.path}`, o, oddNames[i % oddNames.length]!] as const);

let everything: Client;
let receiver: Client;
beforeAll(async () => {
  ({ everything, receiver } = await newClients({
    everything: { kind: 'service', grants: [...operationNames] },
    receiver: { kind: 'receiver', grants: [] },
  }));
});
afterAll(closeConnections);

function pathOf({ path }: Documented, shortId: string): string {
  return path.replace('{shortId}', shortId).replace(/\{[A-Za-z]+\}/g, () => randomUUID());
}

describe('the API reference', () => {
  it('has every endpoint of the specification', () => {
    const operations = reference.operations.map((o) => `${o.method} ${o.path} ${o.scopes.join(' ')}`.trim());
    expect(operations).toEqual(
      expect.arrayContaining([
        'POST /oauth2/token',
        'POST /o/{shortId}/api/credentials/offers offers:write',
        'GET /o/{shortId}/api/credentials/subjects issued:read',
        'GET /o/{shortId}/api/credentials/subjects/{subject} issued:read',
        'DELETE /o/{shortId}/api/credentials/subjects/{subject} issued:manage',
      ]),
    );
  });

  it('requires a token or session for every path, except claim, invitation, sign-in and challenge', () => {
    // permission-matrix.spec.ts tests the operations that are for people only, and those have no scope.
    const unguarded = reference.operations.filter(
      (o) => o.path.startsWith('/o/{shortId}/api/') && o.scopes.length === 0 && o['x-operation'] === undefined,
    );
    // Browsers have no access token. Claim, invitation and sign-in have their own proofs, and a challenge needs none.
    const withoutToken = new RegExp(
      '^(POST /o/\\{shortId\\}/api/(claim|invitation)(/|$)|(GET|POST) /o/\\{shortId\\}/api/sign-in/|' +
        'GET /o/\\{shortId\\}/api/presence/challenge$)',
    );
    expect(unguarded.map((o) => `${o.method} ${o.path}`).filter((route) => !withoutToken.test(route))).toEqual([]);
    expect(guarded.length).toBeGreaterThanOrEqual(7);
  });
});

describe.each(guarded)('%s', (_, operation, oddName) => {
  const { method, scopes } = operation;

  it('is 401 without a token', async () => {
    for (const gateway of stack.gateways.keys()) {
      const { status, body, headers } = await callApi(stack, method, pathOf(operation, everything.app.org), {
        gateway,
      });
      expect({ status, code: body.code }).toEqual({ status: 401, code: 'missing_token' });
      expect(headers['www-authenticate']).toMatch(/^Bearer /);
    }
  });

  it.each(['acme', 'globex', 'no-such-organization', oddName])(
    'is 403 for the organization %s with a token of another one',
    async (shortId) => {
      for (const gateway of stack.gateways.keys()) {
        const { status, body } = await everything.call(method, pathOf(operation, shortId), { gateway });
        expect({ status, code: body.code }).toEqual({ status: 403, code: 'wrong_organization' });
      }
    },
  );

  it('has the same response for another organization and for one that does not exist', async () => {
    const of = (shortId: string) =>
      everything.call(
        method,
        pathOf({ ...operation, path: operation.path.replace(/\{(?!shortId)[A-Za-z]+\}/g, 'x') }, shortId),
        { headers: { 'x-request-id': 'same' } },
      );
    const [there, absent] = await Promise.all([of('acme'), of('no-such-organization')]);
    expect(there.body).toEqual(absent.body);
  });

  it('is 403 for a demo organization with a token of the other one', async () => {
    for (const [org, other] of [
      ['acme', 'globex'],
      ['globex', 'acme'],
    ] as const) {
      const client = demoClient(
        org,
        scopes.some((s) => s.startsWith('offers') || s.startsWith('issued')) ? 'shop' : 'automation',
      );
      expect(await client.call(method, pathOf(operation, other))).toMatchObject({
        status: 403,
        body: { code: 'wrong_organization' },
      });
    }
  });

  it('is 403 with every scope but the required one, and names that one', async () => {
    const others = operationNames.filter((name) => !scopes.includes(name));
    const { status, body, headers } = await everything
      .with(...others)
      .call(method, pathOf(operation, everything.app.org));
    expect({ status, code: body.code }).toEqual({ status: 403, code: 'insufficient_scope' });
    expect(headers['www-authenticate']).toMatch(
      new RegExp(`^Bearer .*error="insufficient_scope".*scope="${scopes[0]}"`),
    );
  });

  it('checks the organization before the scope', async () => {
    const others = operationNames.filter((name) => !scopes.includes(name));
    expect((await everything.with(...others).call(method, pathOf(operation, 'acme'))).body.code).toBe(
      'wrong_organization',
    );
  });

  it('is not denied with its scope alone', async () => {
    const isOfReceivers = scopes.some((scope) => (receiverScopeNames as string[]).includes(scope));
    const caller = isOfReceivers ? receiver : everything;
    const { status, body } = await caller.with(...scopes).call(method, pathOf(operation, everything.app.org));
    // The ids in the path are random and there is no body, so that 400, 404 and 422 are possible.
    expect([200, 201, 204, 404, '400 invalid_request', '422 invalid_request']).toContain(
      status === 400 || status === 422 ? `${status} ${body.code}` : status,
    );
  });
});

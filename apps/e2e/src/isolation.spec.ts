// Every guarded operation of the reference × every way of not being allowed, generated from /openapi.json.
import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { operationNames } from '@holdfast/contracts';
import { callApi, referenceOf, type Client } from './client.ts';
import type { Documented } from './contract.ts';
import { closeConnections } from './http.ts';
import { demoClient, newClients, stack } from './under-test.ts';

const reference = await referenceOf(stack);
const guarded = reference.operations
  .filter((o) => o.scopes.length > 0)
  .map((o) => [`${o.method} ${o.path}`, o] as const);

let everything: Client;
beforeAll(async () => {
  ({ everything } = await newClients({ everything: { kind: 'service', grants: [...operationNames] } }));
});
afterAll(closeConnections);

function pathOf({ path }: Documented, shortId: string): string {
  return path.replace('{shortId}', shortId).replace(/\{[A-Za-z]+\}/g, () => randomUUID());
}

describe('the reference', () => {
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

  it('asks for a token everywhere below an organization', () => {
    const open = reference.operations.filter((o) => o.path.startsWith('/o/{shortId}/api/') && o.scopes.length === 0);
    // The claim link and the sign-in prove what they need by themselves, and the browser that asks for a challenge has
    // nothing to prove yet: nobody has a token of ours there.
    const beforeAnyToken =
      /^(POST \/o\/\{shortId\}\/api\/claim(\/|$)|(GET|POST) \/o\/\{shortId\}\/api\/sign-in\/|GET \/o\/\{shortId\}\/api\/presence\/challenge$)/;
    expect(open.map((o) => `${o.method} ${o.path}`).filter((route) => !beforeAnyToken.test(route))).toEqual([]);
    expect(guarded.length).toBeGreaterThanOrEqual(7);
  });
});

describe.each(guarded)('%s', (_, operation) => {
  const { method, scopes } = operation;

  it('without a token: 401', async () => {
    for (const gateway of stack.gateways.keys()) {
      const { status, body, headers } = await callApi(stack, method, pathOf(operation, everything.app.org), {
        gateway,
      });
      expect({ status, code: body.code }).toEqual({ status: 401, code: 'missing_token' });
      expect(headers['www-authenticate']).toMatch(/^Bearer /);
    }
  });

  it.each([
    'acme',
    'globex',
    'no-such-organization',
    'EVERYTHING',
    'x',
    '%00',
    '..%2f',
    'constructor',
    `${'a'.repeat(300)}`,
  ])('with a token of another organization than %s: 403', async (shortId) => {
    for (const gateway of stack.gateways.keys()) {
      const { status, body } = await everything.call(method, pathOf(operation, shortId), { gateway });
      expect({ status, code: body.code }).toEqual({ status: 403, code: 'wrong_organization' });
    }
  });

  it('the same answer for an organization that is there and one that is not', async () => {
    const of = (shortId: string) =>
      everything.call(
        method,
        pathOf({ ...operation, path: operation.path.replace(/\{(?!shortId)[A-Za-z]+\}/g, 'x') }, shortId),
        { headers: { 'x-request-id': 'same' } },
      );
    const [there, absent] = await Promise.all([of('acme'), of('no-such-organization')]);
    expect(there.body).toEqual(absent.body);
  });

  it("a demo app's token on the other demo organization: 403", async () => {
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

  it('with every scope but the one that it needs: 403, naming it', async () => {
    const others = operationNames.filter((name) => !scopes.includes(name));
    const { status, body, headers } = await everything
      .with(...others)
      .call(method, pathOf(operation, everything.app.org));
    expect({ status, code: body.code }).toEqual({ status: 403, code: 'insufficient_scope' });
    expect(headers['www-authenticate']).toMatch(
      new RegExp(`^Bearer .*error="insufficient_scope".*scope="${scopes[0]}"`),
    );
  });

  it('wrong organization comes before missing scope', async () => {
    const others = operationNames.filter((name) => !scopes.includes(name));
    expect((await everything.with(...others).call(method, pathOf(operation, 'acme'))).body.code).toBe(
      'wrong_organization',
    );
  });

  it('with its scope alone the door is open', async () => {
    const { status, body } = await everything.with(...scopes).call(method, pathOf(operation, everything.app.org));
    // 400: the ids in the path are made up, and some of them should have been numbers. It is no longer about who asks.
    expect([200, 201, 204, 400, 404]).toContain(status);
    if (status === 400) expect(body.code).toBe('invalid_request');
  });
});

import { beforeAll, describe, expect, it, jest } from '@jest/globals';
import fc from 'fast-check';
import { decodeJwt, decodeProtectedHeader } from 'jose';
import {
  issueToken,
  neverGrantable,
  operationNames,
  type App,
  type ReplyOf,
  type RequestOf,
} from '@holdfast/contracts';
import { Bus } from '@holdfast/messaging';
import type { RateLimiter } from '@holdfast/platform';
import { testContext } from '@holdfast/testing';
import { addApp, type TestApp } from '../auth-stack.fixture.js';
import { newClientKey } from '../client-key.fixture.js';
import { ClientLimits } from '../clients/client-limits.js';
import { post, stack, usePlatformIssuer } from '../platform-issuer.fixture.js';
import { stubs } from '../service-stubs.fixture.js';

usePlatformIssuer();

type Reply = ReplyOf<typeof issueToken>;
type Credentials = Pick<RequestOf<typeof issueToken>, 'clientId' | 'secret'>;

const scopes: App['scopes'] = ['offers:write', 'issued:read'];
const traceparent = `00-${'a'.repeat(32)}-${'b'.repeat(16)}-01`;
const ids = { id: 'req-1', traceparent };
const network = '192.0.2.7';

let bus: Bus;
beforeAll(async () => {
  bus = new Bus(await stack.connect('gateway'));
});

const newClient = (changes: Partial<App> = {}, orgSuspended = false) => addApp({ scopes, ...changes }, orgSuspended);

const overBus = ({ clientId, secret }: Credentials, scope?: string): Promise<Reply> =>
  bus.request(
    issueToken,
    { clientId, secret, network, ...(scope !== undefined && { scope }) },
    testContext({ org: '', request: { ...ids, method: 'POST', route: '/oauth2/token' } }),
  );

/** The same request by HTTP, which oidc-provider answers. */
const byHttp = (credentials: Credentials, scope?: string) =>
  post({ grant_type: 'client_credentials', ...(scope !== undefined && { scope }) }, credentials, {
    'x-request-id': ids.id,
    traceparent,
    'x-holdfast-client-address': network,
  });

/** What a token says, in its order, without what differs between any two tokens. */
function contentOf(token: string): object {
  const { jti, iat, exp, ...claims } = decodeJwt(token);
  expect(jti).toMatch(/^[A-Za-z0-9_-]{43}$/);
  expect(Math.abs(iat! - Date.now() / 1000)).toBeLessThan(60);
  const names = Object.keys(decodeJwt(token));
  return { header: JSON.stringify(decodeProtectedHeader(token)), claims, names, seconds: exp! - iat! };
}

const rateLimitHeaders = ['ratelimit', 'ratelimit-policy', 'retry-after'];

async function answerOfProvider(credentials: Credentials, scope?: string): Promise<object> {
  const { status, json, headers } = await byHttp(credentials, scope);
  if (status === 200) {
    const { access_token: token, ...rest } = json;
    return { status, ...rest, token: contentOf(token as string) };
  }
  return { status, ...json, headers: rateLimitHeaders.filter((name) => headers.has(name)) };
}

async function answerOfGrant(credentials: Credentials, scope?: string): Promise<object> {
  const reply = await overBus(credentials, scope);
  if (reply.outcome === 'proof_required') throw new Error('the grant does not answer this request');
  if (reply.outcome === 'issued') {
    const { accessToken, expiresInSeconds: expires_in, scope } = reply;
    return { status: 200, token_type: 'Bearer', expires_in, scope, token: contentOf(accessToken) };
  }
  const { status, error, description: error_description, headers } = reply;
  return { status, error, error_description, headers: Object.keys(headers).sort() };
}

/**
 * The records of a request, once each, without ids and times. Denied requests of a minute are one record with a growing
 * count, so at the end of a minute those of another app may arrive too.
 */
function takeRecords({ clientId }: Credentials): object[] {
  const records = stubs.records.map(({ org, record: { id: _, occurredAt: __, outcome, ...rest } }) => {
    const { count: ___, ...own } = outcome;
    return { org, ...rest, outcome: own };
  });
  stubs.records = [];
  const named = records.filter(({ actor, targets }) => JSON.stringify([actor, targets]).includes(`"${clientId}"`));
  const own = named.length > 0 ? named : records.filter(({ actor }) => actor.type !== 'app');
  return [...new Map(own.map((record) => [JSON.stringify(record), record])).values()];
}

async function expectSameAnswer(credentials: Credentials, scope?: string): Promise<object> {
  const answers = [await answerOfProvider(credentials, scope), takeRecords(credentials)];
  expect([await answerOfGrant(credentials, scope), takeRecords(credentials)]).toEqual(answers);
  return answers[0]!;
}

describe('client credentials over the bus and by oidc-provider have the same answer, token and record', () => {
  it('for any client, secret and scope', async () => {
    const key = await newClientKey();
    const second = newClient();
    const limited = newClient();
    Object.assign(stubs.clients.get(limited.clientId)!, { rateLimits: { read: 5, client: 5000 } });
    const clients: [name: string, credentials: Credentials][] = [
      ['an app', newClient()],
      ['its second secret', { clientId: second.clientId, secret: second.secondSecret }],
      ['a service app', newClient({ kind: 'service', scopes: operationNames })],
      ['an app with quotas', limited],
      ['an app without scopes', newClient({ scopes: [] })],
      ['an app with scopes of another kind', newClient({ scopes: ['users:read'] })],
      ['an app without secrets', newClient({ kind: 'spa' })],
      ['a disabled app', newClient({ disabled: true })],
      ['an app of a suspended organization', newClient({}, true)],
      ['an app with keys', newClient({ tokenEndpointAuthMethod: 'private_key_jwt', jwks: { keys: [key.publicJwk] } })],
      ['a wrong secret', { clientId: newClient().clientId, secret: 'wrong' }],
      ["another app's secret", { clientId: newClient().clientId, secret: second.secret }],
      ['an unknown app', { clientId: `app_${'a'.repeat(22)}`, secret: second.secret }],
      ['a hub', { clientId: 'hub_acme', secret: second.secret }],
    ];
    const name = fc.oneof(
      { weight: 4, arbitrary: fc.constantFrom(...scopes) },
      { weight: 2, arbitrary: fc.constantFrom(...operationNames, ...neverGrantable, 'openid', '__proto__') },
      { weight: 1, arbitrary: fc.stringMatching(/^[\x21\x23-\x5b\x5d-\x7e]{1,80}$/) },
    );
    const scope = fc.option(
      fc.array(name, { minLength: 1, maxLength: 6 }).map((names) => names.join(' ')),
      {
        nil: undefined,
      },
    );
    const statuses = new Set<number>();
    await fc.assert(
      fc.asyncProperty(fc.constantFrom(...clients), scope, async ([, credentials], requested) => {
        const { status } = (await expectSameAnswer(credentials, requested)) as { status: number };
        statuses.add(status);
      }),
      { numRuns: 200 },
    );
    expect([...statuses].sort()).toEqual([200, 400, 401]);
  });

  it.each([
    ['granted', 'issued:read offers:write'],
    ['twice', 'issued:read offers:write issued:read'],
    ['not granted', 'issued:read users:read'],
    ['for people', 'roles:manage'],
    ['too long', 'offers:write '.repeat(90).trim()],
    ['absent', undefined],
  ])('for a scope that is %s', async (_, scope) => {
    await expectSameAnswer(newClient(), scope);
  });

  it('for wrong secrets, which count for the same network and client, and beyond their limit', async () => {
    const { failures } = stack.auth.app.get<{ failures: RateLimiter }>(ClientLimits);
    const take = jest.spyOn(failures, 'take');
    const wrong = { clientId: newClient().clientId, secret: 'wrong' };
    expect(await expectSameAnswer(wrong, 'issued:read')).toMatchObject({ status: 401, error: 'invalid_client' });
    const keys = [`from ${network}`, `of ${wrong.clientId}`];
    expect(take.mock.calls.map(([key]) => key)).toEqual([...keys, ...keys]);
    take.mockReturnValue({ allowed: false, perMinute: 60, remaining: 0, retryAfterSeconds: 7, resetSeconds: 60 });
    expect(await expectSameAnswer(wrong, 'issued:read')).toEqual({
      status: 429,
      error: 'temporarily_unavailable',
      error_description: 'too many requests; wait for Retry-After',
      headers: rateLimitHeaders,
    });
    take.mockRestore();
  });

  it('for a client beyond its quota, which the two count together', async () => {
    const [first, second] = [newClient(), newClient()];
    for (const { clientId } of [first, second])
      Object.assign(stubs.clients.get(clientId)!, { rateLimits: { client: 1 } });
    expect(await answerOfGrant(first, 'issued:read')).toMatchObject({ status: 200 });
    expect(await answerOfProvider(second, 'issued:read')).toMatchObject({ status: 200 });
    stubs.records = [];
    for (const client of [first, second])
      expect(await expectSameAnswer(client, 'issued:read')).toMatchObject({ status: 429, headers: rateLimitHeaders });
  });
});

describe('client credentials over the bus', () => {
  let client: TestApp;
  beforeAll(() => void (client = newClient()));

  it('of an app that takes bound tokens only are for oidc-provider, and nothing is recorded or counted', async () => {
    const bound = newClient({ requireDpop: true });
    Object.assign(stubs.clients.get(bound.clientId)!, { rateLimits: { client: 1 } });
    for (let i = 0; i < 3; i += 1) expect(await overBus(bound, 'issued:read')).toEqual({ outcome: 'proof_required' });
    expect(await overBus({ ...bound, secret: 'wrong' })).toEqual({ outcome: 'proof_required' });
    expect(stubs.records).toEqual([]);
  });

  it('are refused at once after a change in directory', async () => {
    const { clientId } = client;
    expect(await overBus(client, 'issued:read')).toMatchObject({ outcome: 'issued', org: 'acme' });
    await stack.changeDirectory(() => (stubs.clients.get(clientId)!.app.scopes = ['offers:write']));
    expect(await overBus(client, 'issued:read')).toMatchObject({ outcome: 'refused', status: 400, org: 'acme' });
    await stack.changeDirectory(() => (stubs.clients.get(clientId)!.app.disabled = true));
    const refused = await overBus(client, 'offers:write');
    expect(refused).toMatchObject({ outcome: 'refused', status: 401 });
    expect(refused).not.toHaveProperty('org');
  });

  it('have no answer without a record: the reply is unavailable', async () => {
    stubs.auditUnavailable = true;
    const origin = { dependency: 'auth/audit' };
    for (const credentials of [newClient(), { ...newClient(), secret: 'wrong' }])
      await expect(overBus(credentials, 'issued:read')).rejects.toMatchObject({ code: 'unavailable', origin });
  });

  it('have one record when they are sent twice', async () => {
    const [context, input] = [testContext({ org: '' }), { ...newClient(), network, scope: 'issued:read' }];
    const { clientId, secret, scope } = input;
    for (let i = 0; i < 2; i += 1) await bus.request(issueToken, { clientId, secret, scope, network }, context);
    expect(stubs.records.map(({ record }) => record.id)).toEqual([context.auditId]);
  });

  it('leave no secret and no token in the log', async () => {
    const text = stack.lines.join('');
    expect(text).not.toMatch(/eyJ/);
    for (const secret of ['wrong', client.secret, client.secondSecret]) expect(text).not.toContain(`"${secret}"`);
  });
});

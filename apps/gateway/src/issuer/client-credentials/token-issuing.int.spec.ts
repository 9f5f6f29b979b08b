import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { Controller, Module } from '@nestjs/common';
import { issueToken, type ReplyOf, type RequestContext, type RequestOf } from '@holdfast/contracts';
import { Handles } from '@holdfast/messaging';
import { AppError, unavailable } from '@holdfast/platform';
import { eventually } from '@holdfast/testing';
import { AuthStub, GatewayStack, type Gateway } from '../../gateway-stack.fixture.js';
import { sendRequest } from '../../http-client.fixture.js';

type Reply = ReplyOf<typeof issueToken>;

const clientId = `app_${'a'.repeat(22)}`;
const secret = 'x-Y_9'.repeat(8);
const issued: Reply = { outcome: 'issued', org: 'acme', accessToken: 'a.b.c', expiresInSeconds: 600, scope: 'x:y' };

/** What the stub of auth has received over the bus, and how it replies. */
let received: { input: RequestOf<typeof issueToken>; context: RequestContext }[];
let reply: Reply | AppError;
let hold: Promise<void>;

@Controller()
class TokenStub {
  @Handles(issueToken)
  async issue(input: RequestOf<typeof issueToken>, context: RequestContext): Promise<Reply> {
    received.push({ input, context });
    await hold;
    if (reply instanceof AppError) throw reply;
    return reply;
  }
}
@Module({ controllers: [TokenStub] })
class TokenStubModule {}

let stack: GatewayStack;
let auth: AuthStub;
let gateway: Gateway;

beforeAll(async () => {
  stack = await GatewayStack.start({ auth: TokenStubModule });
  auth = await new AuthStub().start();
  gateway = await stack.gateway([auth], {
    AUTH_MAX_REQUESTS_PER_ADDRESS: '4',
    TRUSTED_PROXIES: '127.0.0.1',
    RATE_LIMITS: 'all=1000000',
    MAX_BACKLOG_MS: '60000',
  });
});
afterAll(async () => {
  await stack?.stop();
  await auth?.stop();
});
beforeEach(() => {
  [received, reply, hold] = [[], issued, Promise.resolve()];
  auth.received.length = 0;
});
afterEach(() => expect(JSON.stringify(received.map(({ context }) => context))).not.toContain(secret));

const form = 'grant_type=client_credentials&scope=x%3Ay';
const post = (body = form, headers: Record<string, string> = {}) =>
  sendRequest(
    gateway,
    'POST',
    '/oauth2/token',
    {
      'content-type': 'application/x-www-form-urlencoded',
      authorization: `Basic ${Buffer.from(`${clientId}:${secret}`).toString('base64')}`,
      'x-forwarded-for': '203.0.113.5',
      ...headers,
    },
    body,
  );

describe('a token request', () => {
  it('with a secret goes to auth over the bus alone, with the network of the client', async () => {
    const { status, headers, body } = await post();
    expect([status, headers['content-type'], headers['cache-control']]).toEqual([
      200,
      'application/json; charset=utf-8',
      'no-store',
    ]);
    expect(JSON.parse(body)).toEqual({ access_token: 'a.b.c', expires_in: 600, scope: 'x:y', token_type: 'Bearer' });
    expect(received).toMatchObject([
      {
        input: { clientId, secret, scope: 'x:y', network: '203.0.113.5' },
        context: { org: '', actor: { type: 'anonymous' }, request: { method: 'POST', route: '/oauth2/token' } },
      },
    ]);
    expect(auth.received).toEqual([]);
  });

  it.each<[string, string, Record<string, string>]>([
    ['with a DPoP proof', form, { dpop: 'a.b.c' }],
    ['with a further parameter', `${form}&resource=https%3A%2F%2Fid.example%2Fapi`, {}],
    ['of another grant', 'grant_type=refresh_token&refresh_token=x', {}],
    ['that is malformed', `${form}&scope=x`, {}],
  ])('%s goes to oidc-provider as it was sent', async (_, body, headers) => {
    expect((await post(body, headers)).body).toBe('{"from":"auth"}');
    expect(auth.received).toMatchObject([{ method: 'POST', url: '/oauth2/token', body, headers }]);
    expect(received).toEqual([]);
  });

  it('of an app that takes bound tokens only goes to oidc-provider after all', async () => {
    reply = { outcome: 'proof_required' };
    expect((await post()).body).toBe('{"from":"auth"}');
    expect([received.length, auth.received.length]).toEqual([1, 1]);
    expect(auth.received[0]).toMatchObject({ body: form });
  });
});

describe('a refused token request', () => {
  it('has the challenge of RFC 6749 §5.2 with 401', async () => {
    reply = { outcome: 'refused', status: 401, error: 'invalid_client', description: 'no', headers: {} };
    const { status, headers, body } = await post();
    expect([status, JSON.parse(body)]).toEqual([401, { error: 'invalid_client', error_description: 'no' }]);
    expect(headers['www-authenticate']).toBe('Basic realm="https://id.example", charset="UTF-8"');
  });

  it('has the error and no challenge with 400', async () => {
    reply = { outcome: 'refused', org: 'acme', status: 400, error: 'invalid_scope', description: 'no', headers: {} };
    const { status, headers, body } = await post();
    expect([status, JSON.parse(body)]).toEqual([400, { error: 'invalid_scope', error_description: 'no' }]);
    expect(headers).not.toHaveProperty('www-authenticate');
  });

  it('has the headers of the limit that it exceeds with 429', async () => {
    const limit = { ratelimit: '"client";r=0;t=3', 'ratelimit-policy': '"client";q=5;w=60', 'retry-after': '3' };
    const error = { error: 'temporarily_unavailable', description: 'wait' } as const;
    reply = { outcome: 'refused', status: 429, ...error, headers: limit };
    const { status, headers } = await post();
    expect(status).toBe(429);
    expect(headers).toMatchObject(limit);
  });

  it('is 503 with Retry-After when auth cannot decide, and names no service', async () => {
    reply = unavailable('audit did not answer', 1, { dependency: 'audit', cause: 'timeout' });
    const { status, headers, body } = await post();
    expect([status, headers['retry-after'], JSON.parse(body)]).toMatchObject([
      503,
      '1',
      { error: 'temporarily_unavailable' },
    ]);
    expect(body).not.toContain('audit');
    expect(auth.received).toEqual([]);
  });
});

it('token requests of one network take no more than its share of auth, over the bus or by HTTP', async () => {
  let release: () => void = () => undefined;
  hold = auth.hold = new Promise((resolve) => (release = resolve));
  const running = [post(), post(), post(form, { dpop: 'a' }), post(form, { dpop: 'a' })];
  await eventually(() => received.length + auth.received.length === 4);
  const waiting = [post(), post(form, { dpop: 'a' })];
  // Of another network.
  const other = post(form, { 'x-forwarded-for': '203.0.113.9' });
  await eventually(() => received.length === 3);
  expect(auth.received).toHaveLength(2);
  release();
  const statuses = await Promise.all([...running, ...waiting, other].map(async (sent) => (await sent).status));
  // Those that waited may have waited too long by then.
  for (const status of statuses) expect([200, 429]).toContain(status);
  expect(statuses.filter((status) => status === 200).length).toBeGreaterThanOrEqual(5);
});

it('a token request goes to oidc-provider when auth is a version that answers by HTTP only', async () => {
  const older = await GatewayStack.start();
  try {
    gateway = await older.gateway([auth]);
    expect((await post()).body).toBe('{"from":"auth"}');
    expect(auth.received).toMatchObject([{ method: 'POST', url: '/oauth2/token', body: form }]);
  } finally {
    await older.stop();
  }
});

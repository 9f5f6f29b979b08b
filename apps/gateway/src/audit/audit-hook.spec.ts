import { beforeEach, describe, expect, it } from '@jest/globals';
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { AuditWriter, DeniedRequestCounter } from '@holdfast/audit-client';
import type { AccessTokenClaims, AuditRecord, ErrorCode } from '@holdfast/contracts';
import { forwardedEndpoints, type Endpoint } from '@holdfast/contracts/http';
import { AppError, systemClock } from '@holdfast/platform';
import { claimEndpoint, claimOptionsEndpoint, completeClaimEndpoint } from '../claim/claim.controller.js';
import type { HttpRequestContext } from '../edge/request-context.js';
import { userinfo } from '../issuer/token.endpoints.js';
import { presenceChallengeEndpoint } from '../presence/presence.controller.js';
import { AuditHook } from './audit-hook.js';

let appended: [org: string, record: AuditRecord, options: { provisional?: boolean; timeoutMs?: number }][] = [];
let counted: [org: string, record: Omit<AuditRecord, 'id'>, network: string][] = [];
let unavailable = false;
const writer = {
  append: (...entry: (typeof appended)[0]) =>
    unavailable ? Promise.reject(new Error('unavailable')) : Promise.resolve(void appended.push(entry)),
} as unknown as AuditWriter;
const counter = {
  count: (...entry: (typeof counted)[0]) =>
    unavailable ? Promise.reject(new Error('unavailable')) : Promise.resolve(void counted.push(entry)),
} as unknown as DeniedRequestCounter;
const claims = { org: 'acme', client_id: 'app_1', client_name: 'Shop' } as AccessTokenClaims;
let identify: () => Promise<AccessTokenClaims>;
const endpointOf = (id: string) =>
  Object.values(forwardedEndpoints)
    .flat()
    .find(({ endpoint }) => endpoint.id === id)!.endpoint;
const createOfferEndpoint = endpointOf('createOffer');
const listSubjectsEndpoint = endpointOf('listSubjects');
const endpoints = [
  claimEndpoint,
  claimOptionsEndpoint,
  completeClaimEndpoint,
  createOfferEndpoint,
  listSubjectsEndpoint,
  presenceChallengeEndpoint,
  userinfo,
];
const hook = new AuditHook(writer, counter, endpoints, 'https://id.example', systemClock, () => identify());

/** Runs the hook for a response of the endpoint. @returns the response that leaves */
async function respond(
  endpoint: Endpoint,
  status: number,
  requestContext: Partial<HttpRequestContext> = {},
  headers: Record<string, string> = {},
  requestHeaders: Record<string, string> = {},
  shortId = 'acme',
  by = hook,
): Promise<{ payload: unknown; status: number; context: HttpRequestContext; sent: Record<string, string> }> {
  const request = {
    method: endpoint.method,
    headers: requestHeaders,
    routeOptions: { url: endpoint.path.replace(/\{(\w+)\}/g, ':$1') },
    params: { ...(shortId !== '' && { shortId }) },
    requestContext: {
      startedAtMs: performance.now(),
      address: '2001:db8::7',
      requestId: 'r',
      trace: { traceparent: 't' },
      responseIds: { requestId: 'chosen', trace: { traceparent: 'chosen' } },
      auditId: '00000000-0000-4000-8000-000000000001',
      recording: { by: 'gateway', targets: [], replayed: false },
      ...requestContext,
    },
  } as unknown as FastifyRequest;
  const sent: Record<string, string> = {};
  const reply = {
    statusCode: status,
    code: (s: number) => ((reply.statusCode = s), reply),
    headers: (set: Record<string, string>) => (Object.assign(sent, set), reply),
    type: () => reply,
    getHeaders: () => headers,
    removeHeader: (name: string) => (delete headers[name], reply),
  };
  const payload = await by.beforeSend(request, reply as unknown as FastifyReply, 'payload');
  return { payload, status: reply.statusCode, context: request.requestContext, sent };
}

beforeEach(() => {
  [appended, counted, unavailable] = [[], [], false];
});

describe('a public endpoint with an action', () => {
  it('appends no record for a success that the handler has recorded', async () => {
    await respond(completeClaimEndpoint, 200, { recording: { by: 'handler' } });
    expect([appended, counted]).toEqual([[], []]);
  });

  it.each<ErrorCode>(['claim_spent', 'claim_expired', 'claim_withdrawn', 'ceremony_expired', 'passkey_invalid'])(
    'appends an anonymous record for %s, which only a genuine link leads to',
    async (code) => {
      await respond(completeClaimEndpoint, 410, { code });
      expect(counted).toEqual([]);
      expect(appended).toEqual([
        [
          'acme',
          expect.objectContaining({
            action: 'credential.claim',
            actor: { type: 'anonymous', id: 'anonymous' },
            outcome: { result: 'failure', status: 410, code },
          }),
          { timeoutMs: 1500 },
        ],
      ]);
    },
  );

  it.each<[ErrorCode, number]>([
    ['unknown_claim', 404],
    ['rate_limited', 429],
    ['invalid_request', 422],
    ['cross_site_request', 403],
    ['unavailable', 503],
  ])('counts %s, which anybody can cause', async (code, status) => {
    await respond(completeClaimEndpoint, status, { code });
    expect(appended).toEqual([]);
    expect(counted).toEqual([
      [
        'acme',
        expect.objectContaining({
          action: 'credential.claim',
          actor: { type: 'anonymous', id: 'anonymous' },
          outcome: expect.objectContaining({ status, code }),
        }),
        '2001:db8:0:0::/64',
      ],
    ]);
  });

  it('appends a provisional record for a claim whose result is unknown', async () => {
    await respond(completeClaimEndpoint, 503, { code: 'unavailable', uncertain: true });
    expect(appended).toEqual([
      [
        'acme',
        expect.objectContaining({ outcome: { result: 'failure', status: 503, code: 'unavailable' } }),
        { provisional: true, timeoutMs: 1500 },
      ],
    ]);
  });

  it('waits for the log until two seconds after the request at most, and 300 ms at least', async () => {
    await respond(completeClaimEndpoint, 410, { code: 'claim_spent', startedAtMs: performance.now() - 1000 });
    await respond(completeClaimEndpoint, 410, { code: 'claim_spent', startedAtMs: performance.now() - 5000 });
    expect(appended.map(([, , { timeoutMs = 0 }]) => Math.ceil(timeoutMs / 100))).toEqual([9, 3]);
  });

  it.each<[string, Endpoint]>([
    ['claim.read', claimEndpoint],
    ['claim.begin', claimOptionsEndpoint],
    ['presence.challenge', presenceChallengeEndpoint],
  ])('counts a success that changes nothing as %s', async (action, endpoint) => {
    await respond(endpoint, 200);
    expect(appended).toEqual([]);
    expect(counted).toEqual([
      [
        'acme',
        expect.objectContaining({
          action,
          actor: { type: 'anonymous', id: 'anonymous' },
          targets: [],
          outcome: { result: 'success', status: 200 },
        }),
        '2001:db8:0:0::/64',
      ],
    ]);
    unavailable = true;
    expect((await respond(endpoint, 200)).status).toBe(503);
  });

  it('answers 503 in place of a denied request that cannot be counted', async () => {
    unavailable = true;
    expect((await respond(completeClaimEndpoint, 404, { code: 'unknown_claim' })).status).toBe(503);
  });

  it('answers 503 without data and headers of a response that cannot be recorded', async () => {
    unavailable = true;
    const headers = {
      'x-request-id': 'r',
      location: '/o/acme/secret',
      'content-length': '17',
      'api-version': '2026-11-01',
    };
    const { status, payload } = await respond(completeClaimEndpoint, 410, { code: 'claim_spent' }, headers);
    expect(status).toBe(503);
    expect(headers).toEqual({ 'x-request-id': 'r' });
    expect(payload).not.toContain('claim_spent');
  });
});

it('marks only a repeat with the same Idempotency-Key as a replay', async () => {
  await respond(createOfferEndpoint, 201, { claims, recording: { by: 'gateway', targets: [], replayed: true } });
  await respond(createOfferEndpoint, 422, { claims, code: 'idempotency_mismatch' });
  expect(appended.map(([, { action, outcome }]) => [action, outcome])).toEqual([
    ['offer.create', { result: 'success', status: 201, replay: true }],
    ['offer.create', { result: 'failure', status: 422, code: 'idempotency_mismatch' }],
  ]);
});

it('appends no record for a response of auth, which records it itself', async () => {
  await respond(userinfo, 401, { recording: { by: 'auth' } });
  expect([appended, counted]).toEqual([[], []]);
});

it('counts a request for auth that was not forwarded, as anonymous', async () => {
  await respond(userinfo, 413, { code: 'payload_too_large' });
  expect(counted).toMatchObject([
    [
      'acme',
      {
        action: 'customer.userinfo',
        actor: { type: 'anonymous' },
        outcome: { status: 413, code: 'payload_too_large' },
      },
      '2001:db8:0:0::/64',
    ],
  ]);
});

it('counts a denied request whose connection was reset before its address could be read', async () => {
  await respond(listSubjectsEndpoint, 401, { code: 'missing_token', address: '' });
  expect(counted).toMatchObject([['acme', { action: 'request.denied' }, '']]);
});

it('counts a 401 of a guarded endpoint as request.denied, and no other anonymous response of it', async () => {
  await respond(listSubjectsEndpoint, 401, { code: 'missing_token' });
  await respond(listSubjectsEndpoint, 404, { code: 'not_found' });
  expect(appended).toEqual([]);
  expect(counted).toEqual([
    [
      'acme',
      expect.objectContaining({ action: 'request.denied', outcome: expect.objectContaining({ status: 401 }) }),
      expect.any(String),
    ],
  ]);
});

describe('a request of a caller with a valid token', () => {
  /** What the caller may not do, what failed, and what succeeded: nothing is lost. */
  it.each<[number, ErrorCode | undefined, AuditRecord['outcome']['result']]>([
    [200, undefined, 'success'],
    [304, undefined, 'success'],
    [401, 'step_up_required', 'denied'],
    [403, 'insufficient_scope', 'denied'],
    [403, 'wrong_organization', 'denied'],
    [400, 'invalid_request', 'failure'],
    [404, 'unknown_subject', 'failure'],
    [409, 'conflict', 'failure'],
    [422, 'invalid_request', 'failure'],
    [500, 'internal', 'failure'],
    [503, 'unavailable', 'failure'],
  ])('that is answered with %i %s has one record of its own: %s', async (status, code, result) => {
    for (const endpoint of [listSubjectsEndpoint, createOfferEndpoint])
      await respond(endpoint, status, { claims, ...(code && { code }) });
    expect(counted).toEqual([]);
    expect(appended).toEqual(
      ['subject.list', 'offer.create'].map((action) => [
        'acme',
        expect.objectContaining({
          action,
          actor: { type: 'app', id: 'app_1', name: 'Shop' },
          outcome: { result, status, ...(code && { code }) },
        }),
        { timeoutMs: 1500 },
      ]),
    );
  });

  it('is missing when a controller does not say who records a success: then no data leaves', async () => {
    const unsaid = { claims, recording: { by: 'unsaid' as const } };
    const { payload, status } = await respond(listSubjectsEndpoint, 200, unsaid);
    expect([status, appended]).toEqual([503, []]);
    expect(String(payload)).not.toContain('payload');
    await respond(listSubjectsEndpoint, 403, { ...unsaid, code: 'insufficient_scope' });
    expect(appended).toMatchObject([['acme', { targets: [] }, {}]]);
  });

  it('has the targets of the request, and is provisional when a command may have been executed', async () => {
    const targets = [{ type: 'customer' as const, id: 'c', dataSubject: 'c' }];
    await respond(listSubjectsEndpoint, 403, {
      claims,
      code: 'insufficient_scope',
      recording: { by: 'gateway', targets, replayed: false },
    });
    await respond(createOfferEndpoint, 503, { claims, code: 'unavailable', uncertain: true });
    expect(appended).toMatchObject([
      ['acme', { targets }, { timeoutMs: 1500 }],
      ['acme', { targets: [] }, { provisional: true }],
    ]);
    expect(appended[0]![2]).not.toHaveProperty('provisional');
  });

  it.each<[string, number, Partial<HttpRequestContext>]>([
    ['is over its limit', 429, { code: 'rate_limited' }],
    [
      'was rejected before it was handled',
      503,
      { code: 'unavailable', origin: { dependency: 'admission', cause: 'overloaded' } },
    ],
  ])('that %s is counted for the app and the organization of the token, not of the path', async (_, status, given) => {
    await respond(listSubjectsEndpoint, status, { claims: { ...claims, org: 'globex' }, ...given });
    expect(appended).toEqual([]);
    expect(counted).toEqual([
      [
        'globex',
        expect.objectContaining({
          action: 'request.denied',
          actor: { type: 'app', id: 'app_1', name: 'Shop' },
          outcome: { result: 'failure', status, code: given.code },
        }),
        '2001:db8:0:0::/64',
      ],
    ]);
    unavailable = true;
    expect((await respond(listSubjectsEndpoint, status, { claims, ...given })).status).toBe(503);
  });

  it.each([200, 403, 404])('that cannot be recorded gets 503 in place of %i', async (status) => {
    unavailable = true;
    const { status: sent, context, sent: headers } = await respond(listSubjectsEndpoint, status, { claims });
    expect(sent).toBe(503);
    expect(headers['cache-control']).toBe('no-store');
    expect(context).toMatchObject({
      code: 'unavailable',
      detail: 'not recorded: Error: unavailable',
      origin: { dependency: 'audit', cause: 'unavailable' },
    });
  });

  it('that the handler has recorded with its change has no other record', async () => {
    for (const status of [201, 403, 409])
      await respond(createOfferEndpoint, status, { claims, recording: { by: 'handler' } });
    expect([appended, counted]).toEqual([[], []]);
  });
});

it('neither records nor counts requests of an endpoint without an action', async () => {
  identify = () => Promise.resolve(claims);
  const { action: _, ...endpoint } = listSubjectsEndpoint;
  const other = new AuditHook(writer, counter, [endpoint], 'https://id.example', systemClock, () => identify());
  await respond(endpoint, 404, { claims, code: 'not_found' }, {}, { authorization: 'Bearer x' }, 'acme', other);
  expect([appended, counted]).toEqual([[], []]);
});

it('counts nothing for a path whose organization no log can have', async () => {
  for (const shortId of ['', 'NOT-A-SHORT-ID', 'a b', 'x'])
    await respond(listSubjectsEndpoint, 401, { code: 'missing_token' }, {}, {}, shortId);
  expect([appended, counted]).toEqual([[], []]);
});

it('counts a denied request of a public endpoint of which no error has a record of its own', async () => {
  await respond(presenceChallengeEndpoint, 503, { code: 'unavailable', uncertain: true });
  await respond(presenceChallengeEndpoint, 404, { code: 'not_found' });
  expect(appended).toEqual([]);
  expect(counted.map(([, { outcome }]) => outcome.status)).toEqual([503, 404]);
});

describe('a request that matches no endpoint', () => {
  const noEndpoint = { method: 'GET', path: '' } as Endpoint;
  const respondUnroutable = (status: number, headers: Record<string, string>) =>
    respond(noEndpoint, status, { code: status === 404 ? 'not_found' : 'method_not_allowed' }, {}, headers);
  const bearer = { authorization: 'Bearer x' };

  it.each([
    [404, 'not_found'],
    [405, 'method_not_allowed'],
  ])('is counted with %i for the app of its token, without its path', async (status, code) => {
    identify = () => Promise.resolve(claims);
    expect(await respondUnroutable(status, bearer)).toMatchObject({ payload: 'payload', status });
    expect(counted).toMatchObject([
      [
        'acme',
        {
          action: 'request.denied',
          actor: { type: 'app', id: 'app_1' },
          outcome: { result: 'failure', status, code },
          request: { route: '*' },
        },
        '2001:db8:0:0::/64',
      ],
    ]);
  });

  it('is not counted without a valid token', async () => {
    identify = () => Promise.reject(new AppError('invalid_token'));
    expect(await respondUnroutable(404, bearer)).toMatchObject({ payload: 'payload', status: 404 });
    expect(counted).toEqual([]);
  });

  it('is not counted without a token, which is not looked for', async () => {
    identify = () => Promise.resolve(claims);
    await respondUnroutable(404, {});
    expect(counted).toEqual([]);
  });

  it('gets 503 when its token cannot be verified or it cannot be counted', async () => {
    identify = () => Promise.reject(new AppError('unavailable'));
    expect((await respondUnroutable(404, bearer)).status).toBe(503);
    identify = () => Promise.resolve(claims);
    unavailable = true;
    expect((await respondUnroutable(404, bearer)).status).toBe(503);
  });
});

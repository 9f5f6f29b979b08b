import { beforeEach, describe, expect, it } from '@jest/globals';
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { AuditWriter, DeniedRequestCounter } from '@holdfast/audit-client';
import type { AccessTokenClaims, AuditRecord, ErrorCode } from '@holdfast/contracts';
import { AppError, systemClock } from '@holdfast/platform';
import { claimEndpoint, claimOptionsEndpoint, completeClaimEndpoint } from '../claim/claim.controller.js';
import { createOfferEndpoint } from '../credentials/offers.controller.js';
import { listSubjectsEndpoint } from '../credentials/subjects.controller.js';
import type { HttpRequestContext } from '../edge/request-context.js';
import type { Endpoint } from '../endpoints/endpoint.js';
import { userinfo } from '../issuer/token.endpoints.js';
import { presenceChallengeEndpoint } from '../presence/presence.controller.js';
import { AuditHook } from './audit-hook.js';

let written: [org: string, record: AuditRecord, options: { provisional?: boolean; within?: number }][] = [];
let counted: [org: string, record: Omit<AuditRecord, 'id'>, network: string][] = [];
let away = false;
const writer = {
  append: (...entry: (typeof written)[0]) =>
    away ? Promise.reject(new Error('away')) : Promise.resolve(void written.push(entry)),
} as unknown as AuditWriter;
const counter = {
  count: (...entry: (typeof counted)[0]) =>
    away ? Promise.reject(new Error('away')) : Promise.resolve(void counted.push(entry)),
} as unknown as DeniedRequestCounter;
const claims = { org: 'acme', client_id: 'app_1', client_name: 'Shop' } as AccessTokenClaims;
let identified: () => Promise<AccessTokenClaims>;
const endpoints = [
  claimEndpoint,
  claimOptionsEndpoint,
  completeClaimEndpoint,
  createOfferEndpoint,
  listSubjectsEndpoint,
  presenceChallengeEndpoint,
  userinfo,
];
const hook = new AuditHook(writer, counter, endpoints, 'https://id.example', systemClock, () => identified());

async function answered(
  endpoint: Endpoint,
  status: number,
  requestContext: Partial<HttpRequestContext> = {},
  headers: Record<string, string> = {},
  sent: Record<string, string> = {},
): Promise<{ payload: unknown; status: number }> {
  const request = {
    method: endpoint.method,
    headers: sent,
    routeOptions: { url: endpoint.path.replace(/\{(\w+)\}/g, ':$1') },
    params: { shortId: 'acme' },
    requestContext: {
      began: performance.now(),
      address: '2001:db8::7',
      requestId: 'r',
      trace: { traceparent: 't' },
      shown: { requestId: 'chosen', trace: { traceparent: 'chosen' } },
      auditId: '00000000-0000-4000-8000-000000000001',
      targets: [],
      ...requestContext,
    },
  } as unknown as FastifyRequest;
  const reply = {
    statusCode: status,
    code: (s: number) => ((reply.statusCode = s), reply),
    headers: () => reply,
    type: () => reply,
    getHeaders: () => headers,
    removeHeader: (name: string) => (delete headers[name], reply),
  };
  const payload = await hook.beforeSend(request, reply as unknown as FastifyReply, 'payload');
  return { payload, status: reply.statusCode };
}

beforeEach(() => {
  [written, counted, away] = [[], [], false];
});

describe('a public endpoint with an action', () => {
  it('leaves a success to the handler of the change', async () => {
    await answered(completeClaimEndpoint, 200, { audited: true });
    expect([written, counted]).toEqual([[], []]);
  });

  it.each<ErrorCode>(['claim_spent', 'claim_expired', 'claim_withdrawn', 'ceremony_expired', 'passkey_invalid'])(
    'records %s, which only a true link leads to, as anonymous',
    async (code) => {
      await answered(completeClaimEndpoint, 410, { code });
      expect(counted).toEqual([]);
      expect(written).toEqual([
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
    await answered(completeClaimEndpoint, status, { code });
    expect(written).toEqual([]);
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

  it("keeps a record of its own for a claim whose end is not known, which gives way to the handler's", async () => {
    await answered(completeClaimEndpoint, 503, { code: 'unavailable', uncertain: true });
    expect(written).toEqual([
      [
        'acme',
        expect.objectContaining({ outcome: { result: 'failure', status: 503, code: 'unavailable' } }),
        { provisional: true, timeoutMs: 1500 },
      ],
    ]);
  });

  it('waits for the log no longer than is left of two seconds, and a moment at least', async () => {
    await answered(completeClaimEndpoint, 410, { code: 'claim_spent', began: performance.now() - 1000 });
    await answered(completeClaimEndpoint, 410, { code: 'claim_spent', began: performance.now() - 5000 });
    expect(written.map(([, , { within = 0 }]) => Math.ceil(within / 100))).toEqual([9, 3]);
  });

  it.each<[string, Endpoint]>([
    ['claim.read', claimEndpoint],
    ['claim.begin', claimOptionsEndpoint],
    ['presence.challenge', presenceChallengeEndpoint],
  ])('counts a success that changes nothing as %s', async (action, endpoint) => {
    await answered(endpoint, 200);
    expect(written).toEqual([]);
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
    away = true;
    expect((await answered(endpoint, 200)).status).toBe(503);
  });

  it('gives no refusal out that cannot be counted', async () => {
    away = true;
    expect((await answered(completeClaimEndpoint, 404, { code: 'unknown_claim' })).status).toBe(503);
  });

  it('gives nothing out that cannot be recorded', async () => {
    away = true;
    const headers = {
      'x-request-id': 'r',
      location: '/o/acme/secret',
      'content-length': '17',
      'api-version': '2026-11-01',
    };
    const { status, payload } = await answered(completeClaimEndpoint, 410, { code: 'claim_spent' }, headers);
    expect(status).toBe(503);
    expect(headers).toEqual({ 'x-request-id': 'r' });
    expect(payload).not.toContain('claim_spent');
  });
});

it('marks a repeat with the same Idempotency-Key as a replay, and nothing else', async () => {
  await answered(createOfferEndpoint, 201, { claims, audited: false, replayed: true });
  await answered(createOfferEndpoint, 422, { claims, code: 'idempotency_mismatch' });
  expect(written.map(([, { action, outcome }]) => [action, outcome])).toEqual([
    ['offer.create', { result: 'success', status: 201, replay: true }],
    ['offer.create', { result: 'failure', status: 422, code: 'idempotency_mismatch' }],
  ]);
});

it('leaves what auth answers to auth', async () => {
  await answered(userinfo, 401, { answeredByAuth: true });
  expect([written, counted]).toEqual([[], []]);
});

it('counts what auth never saw, as anonymous', async () => {
  await answered(userinfo, 413, { code: 'payload_too_large' });
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

it('counts a denied request whose caller reset the connection before its address was known', async () => {
  await answered(listSubjectsEndpoint, 401, { code: 'missing_token', address: '' });
  expect(counted).toMatchObject([['acme', { action: 'request.denied' }, '']]);
});

it('counts a 401 of a guarded endpoint as refused at the door, and nothing else of the unknown', async () => {
  await answered(listSubjectsEndpoint, 401, { code: 'missing_token' });
  await answered(listSubjectsEndpoint, 404, { code: 'not_found' });
  expect(written).toEqual([]);
  expect(counted).toEqual([
    [
      'acme',
      expect.objectContaining({ action: 'request.denied', outcome: expect.objectContaining({ status: 401 }) }),
      expect.any(String),
    ],
  ]);
});

describe('what leads to no endpoint', () => {
  const nowhere = { method: 'GET', path: '' } as Endpoint;
  const lost = (status: number, headers: Record<string, string>) =>
    answered(nowhere, status, { code: status === 404 ? 'not_found' : 'method_not_allowed' }, {}, headers);
  const bearer = { authorization: 'Bearer x' };

  it.each([
    [404, 'not_found'],
    [405, 'method_not_allowed'],
  ])('is counted with %i as the app whose token came with it, without its path', async (status, code) => {
    identified = () => Promise.resolve(claims);
    expect(await lost(status, bearer)).toEqual({ payload: 'payload', status });
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

  it('is not counted without a token, or with one that is not good', async () => {
    identified = () => Promise.reject(new AppError('invalid_token'));
    await lost(404, {});
    await lost(404, bearer);
    expect(counted).toEqual([]);
  });

  it('is answered with 503 when it cannot be told whose token it is, or not be counted', async () => {
    identified = () => Promise.reject(new AppError('unavailable'));
    expect((await lost(404, bearer)).status).toBe(503);
    identified = () => Promise.resolve(claims);
    away = true;
    expect((await lost(404, bearer)).status).toBe(503);
  });
});

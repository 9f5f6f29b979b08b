import { beforeEach, describe, expect, it } from '@jest/globals';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { z } from 'zod';
import { eraseSubject, type AccessTokenClaims, type AuditTarget } from '@holdfast/contracts';
import type { Bus } from '@holdfast/messaging';
import { newRequestContext } from '../edge/request-context.js';
import { Resources } from './resources.js';

const claims = { org: 'acme', client_id: 'app_1', client_name: 'shop' } as AccessTokenClaims;
const customer = (id: string): AuditTarget[] => [{ type: 'customer', id, dataSubject: id }];

let replied: unknown;
let request: FastifyRequest;
let headers: Record<string, string>;
const reply = { header: (name: string, value: string) => void (headers[name] = value) } as unknown as FastifyReply;
const resources = new Resources({ request: () => Promise.resolve(replied) } as unknown as Bus, {
  PAGE_TOKEN_KEY: Buffer.alloc(32, 1),
});

function requestOf(app: string): FastifyRequest {
  const requestContext = newRequestContext({ headers: {}, ip: '192.0.2.1' });
  requestContext.claims = { ...claims, client_id: app };
  return {
    method: 'GET',
    headers: {},
    routeOptions: { url: '/o/:shortId/x' },
    requestContext,
  } as unknown as FastifyRequest;
}

beforeEach(() => {
  [request, headers] = [requestOf('app_1'), {}];
});

describe('changing a resource', () => {
  const erase = () => resources.act(request, reply, eraseSubject, { subject: 's1' }, customer);

  it('leaves the audit record to the handler of the change', async () => {
    replied = {};
    await erase();
    expect(request.requestContext.recording).toEqual({ by: 'handler' });
    expect(headers).toEqual({});
  });

  it('marks a repeat, which the gateway records with its targets', async () => {
    replied = { replayed: { subject: 's1' } };
    expect(await erase()).toEqual({});
    expect(request.requestContext.recording).toEqual({ by: 'gateway', targets: customer('s1'), replayed: true });
    expect(headers).toEqual({ 'idempotency-replayed': 'true' });
  });

  it('names no target in the record of a repeat about an erased customer', async () => {
    replied = { replayed: {} };
    await erase();
    expect(request.requestContext.recording).toEqual({ by: 'gateway', targets: [], replayed: true });
  });
});

describe('listing a page', () => {
  const items = [1, 2, 3];
  const list = (of: FastifyRequest, query: { limit: number; next_page_token?: string; claimed?: string }) =>
    resources.list(of, query, z.int(), ({ limit, cursor = 0 }) => {
      const page = items.slice(cursor, cursor + limit);
      const next = cursor + limit;
      return Promise.resolve({ items: page, ...(next < items.length && { next }) });
    });

  it('continues after its page token', async () => {
    const first = await list(request, { limit: 2 });
    expect(first).toEqual({ items: [1, 2], hasMore: true, nextPageToken: expect.any(String) });
    expect(await list(request, { limit: 2, next_page_token: first.nextPageToken! })).toEqual({
      items: [3],
      hasMore: false,
    });
  });

  it('rejects a page token of another app or filter', async () => {
    const token = (await list(request, { limit: 2 })).nextPageToken!;
    const rejection = { code: 'invalid_page_token' };
    await expect(list(requestOf('app_2'), { limit: 2, next_page_token: token })).rejects.toMatchObject(rejection);
    await expect(list(request, { limit: 2, claimed: 'true', next_page_token: token })).rejects.toMatchObject(rejection);
  });

  it('accepts a page token with another limit', async () => {
    const token = (await list(request, { limit: 2 })).nextPageToken!;
    expect((await list(request, { limit: 1, next_page_token: token })).items).toEqual([3]);
  });
});

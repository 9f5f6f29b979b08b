import { describe, expect, it } from '@jest/globals';
import type { FastifyRequest } from 'fastify';
import type { AccessTokenClaims } from '@holdfast/contracts';
import { auditExamples } from '@holdfast/contracts/http';
import type { Bus } from '@holdfast/messaging';
import { newRequestContext } from '../../edge/request-context.js';
import { AuditEntriesController, listAuditEntriesEndpoint } from './audit-entries.controller.js';

const { checkpoint, entry } = auditExamples;
const requestContext = newRequestContext({ headers: {}, ip: '192.0.2.1' });
requestContext.claims = { org: 'acme', client_id: 'app_1', client_name: 'shop' } as AccessTokenClaims;
const request = { method: 'GET', headers: {}, routeOptions: { url: '/' }, requestContext } as unknown as FastifyRequest;

function list(reply: object, query: object) {
  const controller = new AuditEntriesController({ request: () => Promise.resolve(reply) } as unknown as Bus);
  return controller.list({ query: { after: 0, limit: 100, ...query } } as never, request);
}

const page = { entries: [entry], checkpoint, hasMore: false };
const broken = { detail: 'entry 3 was changed' };

describe('AuditEntriesController', () => {
  it('returns a page of entries with its checkpoint', async () => {
    expect(await list(page, {})).toEqual({ items: [entry], checkpoint, hasMore: false });
  });

  it('answers 503 with the reason for a broken log', async () => {
    await expect(list({ ...page, broken }, {})).rejects.toMatchObject({
      code: 'unavailable',
      retryAfter: 60,
      detail: expect.stringContaining('entry 3 was changed'),
    });
  });

  it('returns the signed entries of a broken log on request', async () => {
    expect(await list({ ...page, broken }, { broken: 'include' })).toMatchObject({ items: [entry], broken });
  });
});

describe('the query of the export', () => {
  const parse = (query: object) => listAuditEntriesEndpoint.query!.safeParse(query);

  it('begins with the first entry and returns 100 by default', () => {
    expect(parse({}).data).toEqual({ after: 0, limit: 100 });
  });

  it.each([{ after: '-1' }, { after: '01' }, { after: '9007199254740992' }, { limit: '0' }, { limit: '501' }])(
    'rejects %j',
    (query) => expect(parse(query).success).toBe(false),
  );
});

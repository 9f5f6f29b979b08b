import { beforeEach, describe, expect, it } from '@jest/globals';
import { HttpException, Logger, type ArgumentsHost } from '@nestjs/common';
import { UncertainError } from '@holdfast/messaging';
import { AppError } from '@holdfast/platform';
import type { GatewayConfig } from '../../config.js';
import { RouteTable } from '../../endpoints/route-table.js';
import { newRequestContext, type HttpRequestContext } from '../request-context.js';
import type { OrganizationsOfErrorPages } from './organizations-of-error-pages.js';
import { ProblemFilter } from './problem.filter.js';

const routes = new RouteTable();
routes.add(['GET', 'HEAD'], '/o/:shortId/api/x');
const acme = { shortId: 'acme', name: 'Acme', startUrl: 'https://acme.example/', helpUrl: 'https://acme.example/help' };
/** The arguments with which it was requested. */
let requested: unknown[];
const organizations = {
  forErrorPage: (shortId: string, mayRequest: boolean) => {
    requested.push([shortId, mayRequest]);
    return Promise.resolve(shortId === 'acme' ? acme : undefined);
  },
} as OrganizationsOfErrorPages;
const filter = new ProblemFilter({ BASE_URL: 'https://id.example' } as GatewayConfig, routes, organizations);

interface Sent {
  status?: number;
  headers: Record<string, string>;
  body: string;
  requestContext: HttpRequestContext;
}

beforeEach(() => {
  requested = [];
  Logger.overrideLogger(false);
});

interface Given {
  url?: string;
  headers?: Record<string, string>;
  method?: string;
  /** Whether the router found a route. */
  matched?: boolean;
}

async function filtered(
  thrown: unknown,
  { url = '/o/acme/api/x', headers = {}, method = 'GET', matched = true }: Given = {},
): Promise<Sent> {
  const requestContext = newRequestContext({ headers, ip: '192.0.2.1' });
  const sent: Sent = { headers: {}, body: '', requestContext };
  const reply = {
    code: (status: number) => ((sent.status = status), reply),
    header: (name: string, value: string) => ((sent.headers[name] = value), reply),
    headers: (all: Record<string, string>) => (Object.assign(sent.headers, all), reply),
    type: (value: string) => reply.header('content-type', value),
    send: (body: string) => ((sent.body = body), reply),
  };
  const http = {
    getRequest: () => ({ url, headers, method, requestContext, routeOptions: matched ? { url } : {} }),
    getResponse: () => reply,
  };
  await filter.catch(thrown, { switchToHttp: () => http } as unknown as ArgumentsHost);
  return sent;
}

describe('ProblemFilter', () => {
  it.each([
    [413, 'payload_too_large', 413],
    [415, 'unsupported_media_type', 415],
    [400, 'invalid_request', 400],
    [418, 'invalid_request', 400],
    [500, 'internal', 500],
  ])('answers a framework error with the status %i as %s', async (statusCode, code, status) => {
    const sent = await filtered(Object.assign(new Error('framework'), { statusCode }));
    expect(sent.status).toBe(status);
    expect(JSON.parse(sent.body)).toMatchObject({ code, status });
  });

  it('answers 404 for a path without a route', async () => {
    expect(
      JSON.parse((await filtered(new HttpException('x', 404), { url: '/none', matched: false })).body),
    ).toMatchObject({
      code: 'not_found',
    });
  });

  it('answers 405 with Allow for a path with other methods', async () => {
    const { status, headers } = await filtered(new HttpException('x', 404), {
      url: '/o/acme/api/x?a=1',
      matched: false,
    });
    expect([status, headers.allow]).toEqual([405, 'GET, HEAD']);
  });

  it('answers 405 too for a method that the router does not know', async () => {
    const unknownMethod = Object.assign(new Error('QUERY method is not supported'), { statusCode: 400 });
    const { status, headers } = await filtered(unknownMethod, { method: 'QUERY', matched: false });
    expect([status, headers.allow]).toEqual([405, 'GET, HEAD']);
    expect((await filtered(unknownMethod, { url: '/none', method: 'QUERY', matched: false })).status).toBe(404);
  });

  it('shows nothing of an unexpected error in the response', async () => {
    const { body, requestContext } = await filtered(new Error('password of the database'));
    expect(body).not.toContain('password');
    expect(requestContext).toMatchObject({
      code: 'internal',
      origin: { dependency: 'gateway', cause: 'internal' },
    });
  });

  it('keeps code, detail, targets and origin of the error for audit record and access line', async () => {
    const targets = [{ type: 'customer' as const, id: 'c1' }];
    const origin = { dependency: 'issuance', cause: 'timeout' as const };
    const { requestContext } = await filtered(new AppError('unavailable', 'later', { targets, origin }));
    expect(requestContext).toMatchObject({ code: 'unavailable', detail: 'later', uncertain: false, origin });
    expect(requestContext.recording).toEqual({ by: 'gateway', targets, replayed: false });
  });

  it('marks a command whose result is unknown', async () => {
    expect((await filtered(new UncertainError('unavailable'))).requestContext.uncertain).toBe(true);
  });

  it.each([
    ['POST', { 'idempotency-key': 'k' }, 'Repeat the request unchanged, with the same Idempotency-Key'],
    ['POST', {}, 'With an Idempotency-Key a repeat is safe'],
    ['GET', {}, undefined],
  ])('says of a %s with %j what a repeat does when its result is unknown', async (method, headers, advice) => {
    const { body } = await filtered(new UncertainError('unavailable', 'issuance did not answer in time'), {
      method,
      headers,
    });
    const { detail } = JSON.parse(body) as { detail: string };
    if (advice === undefined) expect(detail).toBe('issuance did not answer in time');
    else expect(detail).toMatch(new RegExp(`^Issuance did not answer in time. It is not known .*${advice}`));
  });

  it('sends a page to a person who navigates, and a problem document to programs', async () => {
    const navigation = { 'sec-fetch-mode': 'navigate' };
    const page = await filtered(new HttpException('x', 404), { url: '/nothing', headers: navigation, matched: false });
    expect([page.status, page.headers['content-type']]).toEqual([404, 'text/html; charset=utf-8']);
    const program = await filtered(new HttpException('x', 404), {
      url: '/o/acme/api/nothing',
      headers: navigation,
      matched: false,
    });
    expect(program.headers['content-type']).toBe('application/problem+json; charset=utf-8');
  });

  it('names the organization of the path with its addresses, and requests nothing that has failed', async () => {
    const headers = { 'sec-fetch-mode': 'navigate' };
    for (const [error, mayRequest] of [
      [new AppError('rate_limited', undefined, { retryAfter: 3 }), false],
      [new AppError('unavailable', undefined, { retryAfter: 1 }), false],
      [new AppError('not_found'), true],
    ] as const) {
      requested = [];
      const { body, headers: sent } = await filtered(error, { url: '/o/acme/nothing?x=1', headers });
      expect(requested).toEqual([['acme', mayRequest]]);
      expect(body).toContain('<span dir="auto">Acme</span>');
      expect(body).toContain('href="https://acme.example/">Continue to Acme</a>');
      expect(body).toContain('href="https://acme.example/help">Get help from Acme</a>');
      expect(sent['content-security-policy']).toContain("default-src 'none'");
    }
    expect((await filtered(new AppError('not_found'), { url: '/o/nobody/x', headers })).body).not.toContain(
      'class="organization"',
    );
    requested = [];
    await filtered(new AppError('not_found'), { url: '/other', headers });
    await filtered(new AppError('unknown_organization'), { url: '/o/acme/x', headers });
    expect(requested).toEqual([]);
  });
});

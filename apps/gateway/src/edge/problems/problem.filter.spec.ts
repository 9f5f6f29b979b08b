import { beforeEach, describe, expect, it } from '@jest/globals';
import { HttpException, Logger, type ArgumentsHost } from '@nestjs/common';
import { UncertainError } from '@holdfast/messaging';
import { AppError } from '@holdfast/platform';
import type { GatewayConfig } from '../../config.js';
import { RouteTable } from '../../endpoints/route-table.js';
import { newRequestContext, type HttpRequestContext } from '../request-context.js';
import { ProblemFilter } from './problem.filter.js';

const routes = new RouteTable();
routes.add(['GET', 'HEAD'], '/o/:shortId/api/x');
const filter = new ProblemFilter({ BASE_URL: 'https://id.example' } as GatewayConfig, routes);

interface Sent {
  status?: number;
  headers: Record<string, string>;
  body: string;
  requestContext: HttpRequestContext;
}

beforeEach(() => {
  Logger.overrideLogger(false);
});

interface Given {
  url?: string;
  headers?: Record<string, string>;
  method?: string;
  /** Whether the router found a route. */
  matched?: boolean;
}

function filtered(
  thrown: unknown,
  { url = '/o/acme/api/x', headers = {}, method = 'GET', matched = true }: Given = {},
): Sent {
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
  filter.catch(thrown, { switchToHttp: () => http } as unknown as ArgumentsHost);
  return sent;
}

describe('ProblemFilter', () => {
  it.each([
    [413, 'payload_too_large', 413],
    [415, 'unsupported_media_type', 415],
    [400, 'invalid_request', 400],
    [418, 'invalid_request', 400],
    [500, 'internal', 500],
  ])('answers a framework error with the status %i as %s', (statusCode, code, status) => {
    const sent = filtered(Object.assign(new Error('framework'), { statusCode }));
    expect(sent.status).toBe(status);
    expect(JSON.parse(sent.body)).toMatchObject({ code, status });
  });

  it('answers 404 for a path without a route', () => {
    expect(JSON.parse(filtered(new HttpException('x', 404), { url: '/none', matched: false }).body)).toMatchObject({
      code: 'not_found',
    });
  });

  it('answers 405 with Allow for a path with other methods', () => {
    const { status, headers } = filtered(new HttpException('x', 404), { url: '/o/acme/api/x?a=1', matched: false });
    expect([status, headers.allow]).toEqual([405, 'GET, HEAD']);
  });

  it('answers 405 too for a method that the router does not know', () => {
    const unknownMethod = Object.assign(new Error('QUERY method is not supported'), { statusCode: 400 });
    const { status, headers } = filtered(unknownMethod, { method: 'QUERY', matched: false });
    expect([status, headers.allow]).toEqual([405, 'GET, HEAD']);
    expect(filtered(unknownMethod, { url: '/none', method: 'QUERY', matched: false }).status).toBe(404);
  });

  it('shows nothing of an unexpected error in the response', () => {
    const { body, requestContext } = filtered(new Error('password of the database'));
    expect(body).not.toContain('password');
    expect(requestContext).toMatchObject({
      code: 'internal',
      origin: { dependency: 'gateway', cause: 'internal' },
    });
  });

  it('keeps code, detail, targets and origin of the error for audit record and access line', () => {
    const targets = [{ type: 'customer' as const, id: 'c1' }];
    const origin = { dependency: 'issuance', cause: 'timeout' as const };
    const { requestContext } = filtered(new AppError('unavailable', 'later', { targets, origin }));
    expect(requestContext).toMatchObject({ code: 'unavailable', detail: 'later', uncertain: false, origin });
    expect(requestContext.recording).toEqual({ by: 'gateway', targets, replayed: false });
  });

  it('marks a command whose result is unknown', () => {
    expect(filtered(new UncertainError('unavailable')).requestContext.uncertain).toBe(true);
  });

  it.each([
    ['POST', { 'idempotency-key': 'k' }, 'Repeat the request unchanged, with the same Idempotency-Key'],
    ['POST', {}, 'With an Idempotency-Key a repeat is safe'],
    ['GET', {}, undefined],
  ])('says of a %s with %j what a repeat does when its result is unknown', (method, headers, advice) => {
    const { body } = filtered(new UncertainError('unavailable', 'issuance did not answer in time'), {
      method,
      headers,
    });
    const { detail } = JSON.parse(body) as { detail: string };
    if (advice === undefined) expect(detail).toBe('issuance did not answer in time');
    else expect(detail).toMatch(new RegExp(`^Issuance did not answer in time. It is not known .*${advice}`));
  });

  it('sends a page to a person who navigates, and a problem document to programs', () => {
    const navigation = { 'sec-fetch-mode': 'navigate' };
    const page = filtered(new HttpException('x', 404), { url: '/nothing', headers: navigation, matched: false });
    expect([page.status, page.headers['content-type']]).toEqual([404, 'text/html; charset=utf-8']);
    const program = filtered(new HttpException('x', 404), {
      url: '/o/acme/api/nothing',
      headers: navigation,
      matched: false,
    });
    expect(program.headers['content-type']).toBe('application/problem+json; charset=utf-8');
  });
});

import { afterEach, describe, expect, it } from '@jest/globals';
import { fastify, type FastifyInstance, type FastifyReply, type FastifyRequest } from 'fastify';
import { SharedRateLimits } from '@holdfast/access';
import type { AccessTokenClaims, PersonTokenClaims } from '@holdfast/contracts';
import type { Endpoint } from '@holdfast/contracts/http';
import { AppError } from '@holdfast/platform';
import { declaredEndpoints } from '../declared-endpoints.js';
import { rateLimitsSchema } from '../endpoints/limit-classes.js';
import { nestPath } from '../endpoints/route.js';
import { limitRequests } from './limit-requests.js';
import { RequestLimits } from './request-limits.js';

const endpoints = declaredEndpoints();
const listSubjectsEndpoint = endpoints.find(({ id }) => id === 'listSubjects')!;

let app: FastifyInstance;

/** Serves the gateway's public routes with handlers that do nothing. */
async function serve(limits: string, trustProxy: string[] | false = false): Promise<RequestLimits> {
  const requestLimits = new RequestLimits(
    { RATE_LIMITS: rateLimitsSchema.parse(limits) },
    endpoints,
    new SharedRateLimits(),
  );
  app = fastify({ trustProxy });
  app.decorateRequest('requestContext');
  app.addHook('onRequest', (request, _reply, done) => {
    request.requestContext = { address: request.ip } as never;
    done();
  });
  limitRequests(app, requestLimits);
  app.setErrorHandler((error, _request, reply) =>
    reply.code((error as AppError).status).send({ code: (error as AppError).code }),
  );
  for (const { method, path, operation } of endpoints)
    if (!operation) app.route({ method, url: nestPath(path), handler: (_request, reply) => reply.send({}) });
  await app.ready();
  return requestLimits;
}
afterEach(() => app.close());

const publicRoutes = endpoints
  .filter(({ operation }) => !operation)
  .map(
    ({ method, path }) =>
      [
        method,
        path
          .replace('{shortId}', 'acme')
          .replace('{uid}', 'u'.repeat(20))
          .replace(/\{\w+\}/g, 'x'),
      ] as const,
  );
const sendRequest = (
  method: Endpoint['method'],
  url: string,
  remoteAddress = '192.0.2.1',
  headers: Record<string, string> = {},
) => app.inject({ method, url, remoteAddress, headers });

describe('rate limits of public routes', () => {
  it.each(publicRoutes)(
    'answer 429 with the three headers when one address exceeds that of %s %s',
    async (method, url) => {
      await serve('all=2');
      const responses = [
        await sendRequest(method, url),
        await sendRequest(method, url),
        await sendRequest(method, url),
      ];
      expect(responses.map(({ statusCode }) => statusCode)).toEqual([200, 200, 429]);
      expect(responses[0]!.headers).toMatchObject({
        'ratelimit-policy': expect.stringMatching(/^"\w+";q=2;w=60$/),
        ratelimit: expect.stringMatching(/^"\w+";r=1;t=30$/),
      });
      expect(responses[2]!.headers).toMatchObject({
        'retry-after': '30',
        ratelimit: expect.stringMatching(/^"\w+";r=0;t=30$/),
      });
      expect((await sendRequest(method, url, '192.0.2.2')).statusCode).toBe(200);
    },
  );

  it('also count requests to paths without a route', async () => {
    await serve('all=1');
    expect([
      (await sendRequest('GET', '/no/route')).statusCode,
      (await sendRequest('GET', '/no/route/2')).statusCode,
    ]).toEqual([404, 429]);
  });

  it('count all addresses of an IPv6 /64 as one, and an IPv4-mapped IPv6 address as the IPv4 address', async () => {
    await serve('all=1');
    expect((await sendRequest('GET', '/docs', '2001:db8::1')).statusCode).toBe(200);
    expect((await sendRequest('GET', '/docs', '2001:0DB8:0:0:ffff::2')).statusCode).toBe(429);
    expect((await sendRequest('GET', '/docs', '2001:db8:0:1::1')).statusCode).toBe(200);
    expect((await sendRequest('GET', '/docs', '::ffff:192.0.2.9')).statusCode).toBe(200);
    expect((await sendRequest('GET', '/docs', '192.0.2.9')).statusCode).toBe(429);
  });

  it('use X-Forwarded-For only when it comes from a trusted proxy', async () => {
    await serve('all=1');
    const from = (client: string) => sendRequest('GET', '/docs', '10.0.0.1', { 'x-forwarded-for': client });
    expect([(await from('192.0.2.1')).statusCode, (await from('192.0.2.2')).statusCode]).toEqual([200, 429]);
    await app.close();
    await serve('all=1', ['10.0.0.1']);
    expect([
      (await from('192.0.2.1')).statusCode,
      (await from('192.0.2.2')).statusCode,
      (await from('192.0.2.2')).statusCode,
    ]).toEqual([200, 200, 429]);
  });

  it('answer 414 to a query that is longer than the route accepts', async () => {
    await serve('');
    expect((await sendRequest('GET', `/o/acme/authorize?state=${'s'.repeat(5000)}`)).statusCode).toBe(414);
    expect((await sendRequest('GET', `/o/acme/authorize?state=${'s'.repeat(1000)}`)).statusCode).toBe(200);
  });
});

describe('rate limits of the API', () => {
  const reply = { headers: () => reply } as unknown as FastifyReply;
  const claims = (clientId: string) => ({ client_id: clientId }) as AccessTokenClaims;

  it('count each app, and its reads and writes, apart', async () => {
    const limits = await serve('read=1');
    limits.admitCaller(claims('a'), listSubjectsEndpoint, reply);
    expect(() => limits.admitCaller(claims('a'), listSubjectsEndpoint, reply)).toThrow(
      expect.objectContaining({ code: 'rate_limited', status: 429, retryAfter: 60 }),
    );
    limits.admitCaller(claims('a'), { ...listSubjectsEndpoint, method: 'POST' }, reply);
    limits.admitCaller(claims('b'), listSubjectsEndpoint, reply);
  });

  it('have the quotas of the token, for reads and writes each', async () => {
    const limits = await serve('read=1,write=1');
    const sent: Record<string, string>[] = [];
    const collecting = { headers: (headers: Record<string, string>) => sent.push(headers) } as unknown as FastifyReply;
    const limited = { ...claims('a'), rate_limits: { read: 2 } };
    limits.admitCaller(limited, listSubjectsEndpoint, collecting);
    limits.admitCaller(limited, listSubjectsEndpoint, collecting);
    expect(sent[0]).toMatchObject({ 'ratelimit-policy': '"read";q=2;w=60' });
    const write = { ...listSubjectsEndpoint, method: 'POST' as const };
    limits.admitCaller(limited, write, collecting);
    for (const endpoint of [listSubjectsEndpoint, write])
      expect(() => limits.admitCaller(limited, endpoint, collecting)).toThrow(
        expect.objectContaining({ code: 'rate_limited' }),
      );
  });

  it('count each person apart from apps and other people, reads and writes together', async () => {
    const limits = await serve('person=1,read=1,write=1');
    const person = (sub: string) => ({ sub, client_id: 'a', person_version: 1 }) as PersonTokenClaims;
    limits.admitCaller(person('p'), listSubjectsEndpoint, reply);
    expect(() => limits.admitCaller(person('p'), { ...listSubjectsEndpoint, method: 'POST' }, reply)).toThrow(
      expect.objectContaining({ code: 'rate_limited' }),
    );
    limits.admitCaller(person('q'), listSubjectsEndpoint, reply);
    limits.admitCaller(claims('a'), listSubjectsEndpoint, reply);
  });

  it('count requests with an invalid token apart from those of an app behind the same address', async () => {
    const limits = await serve('denied=1');
    const request = { requestContext: { address: '192.0.2.1' } } as FastifyRequest;
    limits.countDenied(request, reply);
    expect(() => limits.countDenied(request, reply)).toThrow(expect.objectContaining({ code: 'rate_limited' }));
    expect(() => limits.admitCaller(claims('a'), listSubjectsEndpoint, reply)).not.toThrow();
  });
});

describe('RATE_LIMITS', () => {
  it('overrides the named classes, and all others by `all`', () => {
    expect(rateLimitsSchema.parse('claim=7, all=9')).toMatchObject({ claim: 7, read: 9 });
    expect(rateLimitsSchema.parse(undefined)).toMatchObject({ claim: 600, authorize: 600 });
  });

  it.each(['clam=7', 'claim=0', 'claim=-1', 'claim=many', 'claim'])('rejects %s', (text) => {
    expect(rateLimitsSchema.safeParse(text).success).toBe(false);
  });
});

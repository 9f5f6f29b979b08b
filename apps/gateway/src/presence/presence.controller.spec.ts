import { beforeEach, describe, expect, it } from '@jest/globals';
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { Bus } from '@holdfast/messaging';
import type { OrganizationProfiles } from '../access/organization-profiles.js';
import { newRequestContext } from '../edge/request-context.js';
import { PresenceController } from './presence.controller.js';

const origin = 'https://shop.example';
let queries: { clientId: string; origin?: string }[];
let allowedOrigin: string | undefined;
let headers: Record<string, string>;

const bus = {
  request: (_contract: unknown, query: { clientId: string; origin?: string }) => {
    queries.push(query);
    return Promise.resolve({ challenge: { signature: 's' }, ...(allowedOrigin !== undefined && { allowedOrigin }) });
  },
} as unknown as Bus;
const organizations = {
  find: (shortId: string) => Promise.resolve(shortId === 'acme' ? { name: 'Acme' } : undefined),
} as unknown as OrganizationProfiles;
const controller = new PresenceController(bus, organizations);
const reply = { header: (name: string, value: string) => void (headers[name] = value) } as unknown as FastifyReply;
const inputOf = (shortId: string) => ({ params: { shortId }, query: { client_id: 'app_1' } }) as never;

function requestFrom(from: string | undefined): FastifyRequest {
  const requestHeaders = from === undefined ? {} : { origin: from };
  return {
    method: 'GET',
    headers: requestHeaders,
    routeOptions: { url: '/o/:shortId/api/presence/challenge' },
    requestContext: newRequestContext({ headers: requestHeaders, ip: '192.0.2.1' }),
  } as unknown as FastifyRequest;
}

beforeEach(() => {
  [queries, allowedOrigin, headers] = [[], undefined, {}];
});

describe('PresenceController', () => {
  it('allows the origin of the request when the service allows it', async () => {
    allowedOrigin = origin;
    expect(await controller.challenge(inputOf('acme'), requestFrom(origin), reply)).toEqual({ signature: 's' });
    expect(queries).toEqual([{ clientId: 'app_1', origin }]);
    expect(headers).toEqual({ 'access-control-allow-origin': origin });
  });

  it('sends a challenge without CORS headers when the service allows no origin', async () => {
    await controller.challenge(inputOf('acme'), requestFrom('https://evil.example'), reply);
    expect(headers).toEqual({});
  });

  it('allows GET in a preflight only with an allowed origin', async () => {
    await controller.preflight(inputOf('acme'), requestFrom(origin), reply);
    expect(headers).toEqual({});
    allowedOrigin = origin;
    await controller.preflight(inputOf('acme'), requestFrom(origin), reply);
    expect(headers).toEqual({ 'access-control-allow-origin': origin, 'access-control-allow-methods': 'GET' });
  });

  it.each([undefined, `https://${'x'.repeat(300)}.example`])('sends no origin to the service for %j', async (from) => {
    await controller.challenge(inputOf('acme'), requestFrom(from), reply);
    expect(queries).toEqual([{ clientId: 'app_1' }]);
  });

  it('answers unknown_app for an unknown organization, without a query', async () => {
    const unknown = { code: 'unknown_app' };
    await expect(controller.challenge(inputOf('nobody'), requestFrom(origin), reply)).rejects.toMatchObject(unknown);
    await expect(controller.preflight(inputOf('nobody'), requestFrom(origin), reply)).rejects.toMatchObject(unknown);
    expect(queries).toEqual([]);
  });
});

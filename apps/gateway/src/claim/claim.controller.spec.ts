import { beforeEach, describe, expect, it } from '@jest/globals';
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { Bus } from '@holdfast/messaging';
import type { OrganizationProfiles } from '../access/organization-profiles.js';
import type { GatewayConfig } from '../config.js';
import { newRequestContext } from '../edge/request-context.js';
import { ClaimController } from './claim.controller.js';

const token = 'vQ3mB0yq1Tn8d5cJ7wX2kZ9rLhFpEsGaUoNiYtRbVxM';
let commands: { data: Record<string, unknown>; request: Record<string, unknown> }[];
let request: FastifyRequest;

const bus = {
  request: (_contract: unknown, data: Record<string, unknown>, context: { request: Record<string, unknown> }) => {
    commands.push({ data, request: context.request });
    return Promise.resolve({ returnUrl: 'https://shop.example/welcome' });
  },
} as unknown as Bus;
const organizations = {
  find: (shortId: string) => Promise.resolve(shortId === 'acme' ? { name: 'Acme' } : undefined),
} as unknown as OrganizationProfiles;
const controller = new ClaimController(bus, organizations, { BASE_URL: 'https://id.example' } as GatewayConfig);
const reply = { header: () => reply } as unknown as FastifyReply;
const inputOf = (shortId: string, claimToken: string) =>
  ({ params: { shortId }, body: { token: claimToken, response: {} }, query: {} as never }) as never;

beforeEach(() => {
  commands = [];
  const headers = { 'user-agent': 'Browser' };
  request = {
    method: 'POST',
    headers,
    routeOptions: { url: '/o/:shortId/api/claim' },
    requestContext: newRequestContext({ headers, ip: '192.0.2.7' }),
  } as unknown as FastifyRequest;
});

describe('ClaimController', () => {
  it.each([
    ['an unknown organization', 'nobody', token],
    ['a token of another form', 'acme', 'x'],
  ])('answers unknown_claim to %s without a command', async (_, shortId, claimToken) => {
    const unknown = { code: 'unknown_claim', status: 404 };
    await expect(controller.read(inputOf(shortId, claimToken), request)).rejects.toMatchObject(unknown);
    await expect(controller.begin(inputOf(shortId, claimToken), request, reply)).rejects.toMatchObject(unknown);
    await expect(controller.complete(inputOf(shortId, claimToken), request)).rejects.toMatchObject(unknown);
    expect(commands).toEqual([]);
  });

  it('leaves the audit record of a claim to its handler, with the origin of the customer', async () => {
    expect(await controller.complete(inputOf('acme', token), request)).toEqual({
      returnUrl: 'https://shop.example/welcome',
    });
    expect(request.requestContext.recording).toEqual({ by: 'handler' });
    expect(commands[0]!.request).toMatchObject({ address: '192.0.2.7', userAgent: 'Browser' });
  });

  it('sends no origin of the customer with a read', async () => {
    await controller.read(inputOf('acme', token), request);
    expect(JSON.stringify(commands)).not.toMatch(/192\.0\.2\.7|Browser/);
  });
});

import { beforeEach, describe, expect, it } from '@jest/globals';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { IssuerController } from './issuer.controller.js';
import type { AuthProxy } from './proxy/auth-proxy.js';

let forwarded: string[];
const controller = new IssuerController({
  forward: ({ url }: FastifyRequest) => Promise.resolve(void forwarded.push(url)),
} as unknown as AuthProxy);

const forward = (routerPath: string, url: string) =>
  controller.forward({ url, routeOptions: { url: routerPath } } as FastifyRequest, {} as FastifyReply);

beforeEach(() => {
  forwarded = [];
});

describe('IssuerController', () => {
  it.each([
    ['/o/:shortId/token', '/o/acme/token'],
    ['/o/:shortId/authorize', '/o/acme/authorize?client_id=x&state=%2F'],
    ['/o/:shortId/api/sign-in/:uid', `/o/acme/api/sign-in/${'A'.repeat(21)}`],
  ])('forwards requests for %s, such as %s', async (route, url) => {
    await forward(route, url);
    expect(forwarded).toEqual([url]);
  });

  // The router decodes parameters before it matches, so each of these matches the route.
  it.each([
    ['/o/:shortId/token', '/o/acm%65/token'],
    ['/o/:shortId/token', '/o/acme%2f..%2fglobex/token'],
    ['/o/:shortId/token', '/o/ACME/token'],
    ['/o/:shortId/token', '/o/a/token'],
    ['/o/:shortId/token', '/o/acme/token/'],
    ['/o/:shortId/api/sign-in/:uid', '/o/acme/api/sign-in/..%2f..%2ftoken'],
    ['/o/:shortId/nothing', '/o/acme/nothing'],
  ])('answers unknown_organization on %s for the encoded path %s', (route, url) => {
    expect(() => forward(route, url)).toThrow(expect.objectContaining({ code: 'unknown_organization' }));
    expect(forwarded).toEqual([]);
  });
});

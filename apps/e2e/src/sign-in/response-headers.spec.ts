// Headers of every endpoint of an issuer and of the platform's token endpoint, as they arrive at a client.
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import * as oidc from 'openid-client';
import { callApi, Client } from '../clients/client.ts';
import { closeConnections } from '../clients/http.ts';
import { customerScopes, stack } from '../clients/under-test.ts';
import { newCustomer, type Customer } from './customer.fixture.ts';
import { absent, endpoints, sendAs } from './endpoint-requests.fixture.ts';
import { RelyingParty } from './relying-party.fixture.ts';

let shop: RelyingParty;
let ada: Customer;
beforeAll(async () => {
  const org = await stack.newOrganization();
  shop = await RelyingParty.make(org, 'shop', { grants: customerScopes });
  await RelyingParty.make(org, 'spa', { kind: 'spa', redirectUris: ['https://spa.example/in'] });
  ada = await newCustomer(new Client(stack, shop.app));
  sendAs({ org, shop, ada });
});
afterAll(closeConnections);

describe.each(Object.entries(endpoints))('%s', (_, requests) => {
  it.each(requests)('with %s', async (_what, send, { status, type, cache, more = {} }) => {
    const { method, path, headers = {}, body, agent } = await send();
    const init = { method, headers, ...(body !== undefined && { body }) };
    const response = agent
      ? await agent.go(path, init)
      : await fetch(stack.baseUrl + path, { ...init, redirect: 'manual' });
    const text = typeof response.text === 'string' ? response.text : await response.text();
    const names = ['content-type', 'cache-control', 'x-request-id', 'x-content-type-options', ...Object.keys(more)];
    expect({
      status: response.status,
      ...Object.fromEntries(names.map((name) => [name, response.headers.get(name)])),
    }).toEqual({
      status,
      'content-type': type,
      'cache-control': cache,
      'x-request-id': expect.any(String),
      'x-content-type-options': 'nosniff',
      ...more,
    });
    if (type === absent) expect(text).toBe('');
  });
});

it('every endpoint of the issuers and of the platform has its headers here', async () => {
  const { body } = await callApi<{ paths: Record<string, Record<string, { tags: string[]; operationId: string }>> }>(
    stack,
    'GET',
    '/openapi.json',
  );
  const published = Object.values(body.paths)
    .flatMap((item) => Object.values(item))
    .filter(({ tags }) => tags?.some((tag) => tag === 'OpenID Connect' || tag === 'OAuth'))
    .map(({ operationId }) => operationId);
  expect(published).toContain('revokeToken');
  expect(published.filter((id) => !(id in endpoints))).toEqual([]);
});

it('a standard client revokes its token', async () => {
  const { refreshToken, accessToken } = await shop.signIn(ada.authenticator);
  await oidc.tokenRevocation(shop.config, refreshToken);
  expect((await shop.userinfo(accessToken)).status).toBe(401);
});

// Specification §4.5 and §5: the token endpoint (RFC 6749, RFC 9068) and its metadata (RFC 8414, RFC 9728).
import { afterAll, describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import * as openid from 'openid-client';
import { neverGrantable } from '@holdfast/contracts';
import { basic, requestToken, type TokenResponse } from '../clients/client.ts';
import { closeConnections, exchange, type Reply } from '../clients/http.ts';
import { claimsOf, headerOf } from '../clients/jwt.ts';
import { stack } from '../clients/under-test.ts';
import { inParallel, times } from '../stack/parallel.ts';
import type { App } from '../stack/stack.ts';

const shop = stack.app('acme', 'shop');
const automation = stack.app('acme', 'automation');
const form = { 'content-type': 'application/x-www-form-urlencoded' };

interface TokenRequest {
  app?: App;
  headers?: Record<string, string | string[]>;
  query?: string;
  body?: string | Buffer;
  method?: string;
  chunked?: boolean;
}

/** A token request of any form. */
function post({
  app = shop,
  headers = {},
  query = '',
  body = 'grant_type=client_credentials&scope=offers:write',
  method = 'POST',
  chunked,
}: TokenRequest = {}): Promise<Reply<TokenResponse>> {
  return exchange<TokenResponse>({
    origin: stack.gateways[0]!,
    method,
    path: `/oauth2/token${query}`,
    headers: { authorization: basic(app), ...form, ...headers },
    body,
    ...(chunked && { chunked }),
  });
}

/** A response without the headers that differ between any two responses. */
function comparable({ status, headers, text }: Reply<unknown>): object {
  const { date: _date, 'x-request-id': _id, 'holdfast-request-id': _ownId, traceparent: _trace, ...rest } = headers;
  return { status, text, rest };
}

afterAll(closeConnections);

describe('a token', () => {
  it('is returned with type, lifetime and scope, and may not be cached', async () => {
    const { status, headers, body } = await requestToken(stack, shop, 'issued:read offers:write');
    expect(status).toBe(200);
    expect(headers['content-type']).toMatch(/^application\/json/);
    expect(headers['cache-control']).toContain('no-store');
    expect(body).toEqual({
      access_token: expect.any(String),
      token_type: 'Bearer',
      expires_in: 600,
      scope: 'issued:read offers:write',
    });
  });

  it('has the claims of RFC 9068', async () => {
    const before = Math.floor(Date.now() / 1000);
    const { body } = await requestToken(stack, shop, 'offers:write');
    const claims = claimsOf(body.access_token);
    expect(headerOf(body.access_token)).toEqual({
      alg: expect.stringMatching(/^(EdDSA|Ed25519)$/),
      typ: 'at+jwt',
      kid: expect.any(String),
    });
    expect(claims).toMatchObject({
      iss: stack.baseUrl,
      aud: `${stack.baseUrl}/api`,
      org: 'acme',
      sub: shop.clientId,
      client_id: shop.clientId,
      scope: 'offers:write',
    });
    expect(claims).toMatchObject({
      jti: expect.any(String),
      client_version: expect.any(Number),
      secret_id: expect.any(String),
    });
    expect(claims.exp - claims.iat).toBe(600);
    expect(claims.iat).toBeGreaterThanOrEqual(before - 1);
    expect(claims.iat).toBeLessThanOrEqual(Math.floor(Date.now() / 1000) + 1);
  });

  it('has another jti each time', async () => {
    const tokens = await inParallel(
      times(20),
      20,
      async () => (await requestToken(stack, shop, 'offers:write')).body.access_token,
    );
    expect(new Set(tokens.map((t) => claimsOf(t).jti)).size).toBe(20);
  });

  it.each([[shop], [automation]])('may have every scope that was granted to the app', async (app) => {
    const { status, body } = await requestToken(stack, app, app.scopes.join(' '));
    expect(status).toBe(200);
    expect(body.scope.split(' ').sort()).toEqual([...app.scopes].sort());
  });

  it('is issued through every gateway', async () => {
    for (const gateway of stack.gateways.keys())
      expect((await requestToken(stack, shop, 'offers:write', { gateway })).status).toBe(200);
  });

  it('is issued for credentials that are not percent-encoded', async () => {
    const authorization = `Basic ${Buffer.from(`${shop.clientId}:${shop.clientSecret}`).toString('base64')}`;
    expect((await post({ headers: { authorization } })).status).toBe(200);
  });
});

describe('a token request is rejected with invalid_scope when the scope is', () => {
  const scopes: [string, string][] = [
    ['unknown', 'offers:read'],
    ['of OpenID Connect', 'openid'],
    ['for refresh tokens', 'offline_access'],
    ['empty', ''],
    ['one space', ' '],
    ['not granted', 'audit:read'],
    ['granted and unknown', 'offers:write nope'],
    ['granted and not granted', 'offers:write audit:read'],
    ['in another case', 'Offers:write'],
    ['separated by a comma', 'offers:write,issued:read'],
    ['separated by a tab', 'offers:write\tissued:read'],
    ['separated by a line', 'offers:write\nissued:read'],
    ['separated by two spaces', 'offers:write  issued:read'],
    ['with a leading space', ' offers:write'],
    ['with a trailing space', 'offers:write '],
    ['with a no-break space', 'offers:write\u00a0'],
    ['with a zero byte', 'offers:write\0'],
    ['a wildcard', '*'],
    ['a wildcard of a prefix', 'offers:*'],
    ['a prefix', 'offers:writ'],
    ['a longer name', 'offers:write2'],
    ['a member of every object', 'constructor'],
    ['a prototype', '__proto__'],
    ['quoted', '"offers:write"'],
    ['SQL', "offers:write' OR '1'='1"],
    ['ten thousand characters', 'offers:write '.repeat(800).trim()],
    ...neverGrantable.flatMap((name): [string, string][] => [
      [`never grantable (${name})`, name],
      [`never grantable among others (${name})`, `offers:write ${name}`],
    ]),
  ];

  it.each(scopes)('%s', async (_, scope) => {
    const { status, body, headers } = await requestToken(stack, shop, scope);
    expect({ status, error: body.error }).toEqual({ status: 400, error: 'invalid_scope' });
    expect(body.access_token).toBeUndefined();
    expect(headers['cache-control']).toContain('no-store');
  });

  it.each(neverGrantable)('never grantable (%s), even for the app with the whole Admin API', async (name) => {
    expect((await requestToken(stack, automation, name)).body.error).toBe('invalid_scope');
  });

  it('for customers, and the app has only scopes of the Admin API', async () => {
    expect((await requestToken(stack, automation, 'offers:write')).body.error).toBe('invalid_scope');
  });

  it('missing', async () => {
    const { status, body } = await post({ body: 'grant_type=client_credentials' });
    expect({ status, error: body.error }).toEqual({ status: 400, error: 'invalid_scope' });
  });
});

describe('a megabyte of scope', () => {
  const body = `grant_type=client_credentials&scope=${'a'.repeat(1_000_000)}`;
  /** A busy machine delays some responses. */
  const fastest = (replies: { milliseconds: number }[]) => Math.min(...replies.map(({ milliseconds }) => milliseconds));

  it.each([
    ['with', false],
    ['without', true],
  ])('is rejected within a second %s a Content-Length', async (_, chunked) => {
    const replies = await inParallel(times(3), 1, () => post({ body, chunked }));
    for (const { status } of replies) expect(Math.floor(status / 100)).toBe(4);
    expect(fastest(replies)).toBeLessThan(1000);
  });

  it('does not delay other requests', async () => {
    const flood = inParallel(times(30), 30, () => post({ body }).catch(() => undefined));
    const replies = await inParallel(times(10), 1, () => requestToken(stack, shop, 'offers:write', { gateway: 1 }));
    for (const { status } of replies) expect(status).toBe(200);
    expect(fastest(replies)).toBeLessThan(2000);
    await flood;
  });
});

describe('client authentication', () => {
  const wrong: [string, Pick<App, 'clientId' | 'clientSecret'>][] = [
    ['a wrong secret', { clientId: shop.clientId, clientSecret: 'A'.repeat(43) }],
    ['a secret with one letter more', { clientId: shop.clientId, clientSecret: `${shop.clientSecret}A` }],
    ['a secret with one letter less', { clientId: shop.clientId, clientSecret: shop.clientSecret.slice(0, -1) }],
    ["another app's secret", { clientId: shop.clientId, clientSecret: stack.app('acme', 'kiosk').clientSecret }],
    ['an unknown client', { clientId: 'app_AAAAAAAAAAAAAAAAAAAAAA', clientSecret: shop.clientSecret }],
    ['a client with an impossible name', { clientId: "x' OR '1'='1", clientSecret: 'x' }],
    ['a member of every object', { clientId: 'constructor', clientSecret: 'x' }],
    ['the client id that stands for unknown clients', { clientId: 'nobody', clientSecret: 'never compared' }],
    [
      "the other organization's secret",
      { clientId: shop.clientId, clientSecret: stack.app('globex', 'shop').clientSecret },
    ],
  ];

  it('fails with the same response, whatever was wrong', async () => {
    const responses = await Promise.all(
      wrong.map(async ([, app]) => comparable(await requestToken(stack, app, 'offers:write'))),
    );
    expect(responses[0]).toMatchObject({ status: 401, rest: { 'www-authenticate': expect.stringMatching(/^Basic /) } });
    expect(JSON.parse((responses[0] as { text: string }).text)).toMatchObject({ error: 'invalid_client' });
    wrong.forEach(([name], i) => expect({ name, response: responses[i] }).toEqual({ name, response: responses[0] }));
  });

  it('fails without a secret in the same way for known and unknown clients', async () => {
    const [registered, unknown] = await Promise.all(
      [shop.clientId, 'app_AAAAAAAAAAAAAAAAAAAAAA'].map((clientId) =>
        requestToken(stack, { clientId, clientSecret: '' }, 'offers:write'),
      ),
    );
    expect([400, 401]).toContain(registered!.status);
    expect(comparable(unknown!)).toEqual(comparable(registered!));
  });

  it('is checked before the scope, so that an unauthenticated client learns nothing of scopes', async () => {
    const app = { clientId: shop.clientId, clientSecret: 'wrong' };
    const responses = await Promise.all(
      ['offers:write', 'roles:manage', ''].map(async (scope) => comparable(await requestToken(stack, app, scope))),
    );
    expect(responses[1]).toEqual(responses[0]);
    expect(responses[2]).toEqual(responses[0]);
  });

  const { clientId, clientSecret } = shop;
  const encoded = Buffer.from(`${clientId}:${clientSecret}`).toString('base64');
  const good = 'grant_type=client_credentials&scope=offers:write';
  const malformed: [string, TokenRequest, number[]][] = [
    ['no Authorization header', { headers: { authorization: [] } }, [401]],
    ['another scheme', { headers: { authorization: `Bearer ${encoded}` } }, [400, 401]],
    ['no colon', { headers: { authorization: `Basic ${Buffer.from(clientId).toString('base64')}` } }, [400, 401]],
    ['no base64', { headers: { authorization: 'Basic ***' } }, [400, 401]],
    ['the scheme alone', { headers: { authorization: 'Basic' } }, [400, 401]],
    ['two Authorization headers', { headers: { authorization: [`Basic ${encoded}`, `Basic ${encoded}`] } }, [400, 401]],
    [
      'credentials in the body alone',
      { headers: { authorization: [] }, body: `${good}&client_id=${clientId}&client_secret=${clientSecret}` },
      [400, 401],
    ],
    [
      'credentials in the body as well',
      { body: `${good}&client_id=${clientId}&client_secret=${clientSecret}` },
      [400, 401],
    ],
    ['another client in the body', { body: `${good}&client_id=${automation.clientId}` }, [400, 401]],
    [
      'credentials in the URI',
      { headers: { authorization: [] }, query: `?client_id=${clientId}&client_secret=${clientSecret}` },
      [400, 401],
    ],
    ['parameters in the URI', { query: '?scope=offers:write', body: 'grant_type=client_credentials' }, [400]],
    [
      'a JSON body',
      {
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify({ grant_type: 'client_credentials', scope: 'offers:write' }),
      },
      [400, 415],
    ],
    ['no content type', { headers: { 'content-type': [] } }, [400, 415]],
    ['no body', { body: '' }, [400]],
    ['the scope twice', { body: `${good}&scope=issued:read` }, [400]],
    ['the grant twice', { body: `${good}&grant_type=client_credentials` }, [400]],
    ['no grant', { body: 'scope=offers:write' }, [400]],
    ['the password grant', { body: 'grant_type=password&username=a&password=b&scope=offers:write' }, [400]],
    ['the code grant', { body: 'grant_type=authorization_code&code=a&scope=offers:write' }, [400]],
    ['the refresh grant', { body: 'grant_type=refresh_token&refresh_token=a&scope=offers:write' }, [400]],
    ['an unknown grant', { body: 'grant_type=__proto__&scope=offers:write' }, [400]],
    ['another resource', { body: `${good}&resource=https%3A%2F%2Felsewhere.example` }, [400]],
    ['GET', { method: 'GET', body: '' }, [405]],
    ['PUT', { method: 'PUT' }, [404, 405]],
    ['a garbled escape', { body: 'grant_type=client_credentials&scope=%E0%A4%A' }, [400]],
  ];

  it.each(malformed)('issues no token for %s', async (_, request, statuses) => {
    const { status, body } = await post(request);
    expect(body?.access_token).toBeUndefined();
    expect(statuses).toContain(status);
  });

  it.each([
    'org=globex',
    'sub=somebody',
    'client_version=99',
    'aud=elsewhere',
    'iss=elsewhere',
    'exp=9999999999',
    'expires_in=99999',
  ])('ignores %s in the body', async (extra) => {
    const { status, body } = await post({ body: `${good}&${extra}` });
    expect(status).toBe(200);
    const claims = claimsOf(body.access_token);
    expect(claims).toMatchObject({ org: 'acme', sub: clientId, iss: stack.baseUrl, aud: `${stack.baseUrl}/api` });
    expect(claims.exp - claims.iat).toBe(600);
  });

  it.each(['x-forwarded-host', 'x-forwarded-proto', 'forwarded', 'host'])('ignores a %s header', async (name) => {
    const { status, body } = await post({
      headers: { [name]: name === 'x-forwarded-proto' ? 'https' : 'evil.example' },
    });
    expect(status).toBe(200);
    expect(claimsOf(body.access_token).iss).toBe(stack.baseUrl);
  });
});

// Client credentials with a secret are answered over the bus, all else by oidc-provider (ADR 0056). A server ignores
// parameters that it does not know (RFC 6749 §3.2), so one of them moves a request to the other implementation.
describe('the two implementations of the token endpoint', () => {
  const ignored = '&ignored=1';
  /** A busy machine cannot record some requests in time, and answers them with 503. */
  const decided = async (request: TokenRequest): Promise<Reply<TokenResponse>> => {
    let reply = await post(request);
    for (let again = 0; reply.status === 503 && again < 20; again += 1) reply = await post(request);
    return reply;
  };
  /** Without what differs between any two tokens. */
  const shapeOf = (reply: Reply<TokenResponse>): object => {
    if (reply.status !== 200) return comparable(reply);
    const { access_token: token, ...rest } = reply.body;
    const { jti, iat, exp, ...claims } = claimsOf(token);
    expect(jti).toMatch(/^[A-Za-z0-9_-]{43}$/);
    const { 'content-length': _, ...headers } = (comparable(reply) as { rest: Record<string, unknown> }).rest;
    const names = Object.keys(claimsOf(token));
    return { rest, headers, header: headerOf(token), claims, names, length: token.length, lifetime: exp - iat };
  };

  it('have the same response to any request', async () => {
    const [id, key] = [shop.clientId, shop.clientSecret];
    const encode = (text: string): string => Buffer.from(text).toString('base64');
    const authorization = fc.constantFrom(
      ...[`${id}:${key}`, `${id}:${'A'.repeat(43)}`, `app_${'A'.repeat(22)}:${key}`, `${id}:`, `:${key}`, id].map(
        encode,
      ),
      encode(`${id}:${key}`).replace(/=+$/, ''),
      encode(`${automation.clientId}:${automation.clientSecret}`),
      '*',
    );
    const scheme = fc.constantFrom('Basic ', 'basic ', 'Basic  ', 'Bearer ');
    const part = fc.oneof(
      { weight: 4, arbitrary: fc.constantFrom('offers:write', 'issued:read', 'offers%3Awrite', 'issued:manage') },
      {
        weight: 2,
        arbitrary: fc.constantFrom('+', '%20', 'audit:read', 'roles:manage', 'openid', '&scope=', '&=', ''),
      },
      {
        weight: 1,
        arbitrary: fc.constantFrom('%', '%00', '%C3%A9', '"', '\\', '&resource=', '__proto__', 'a'.repeat(90)),
      },
    );
    const scope = fc.array(part, { maxLength: 5 }).map((parts) => `&scope=${parts.join('')}`);
    const body = fc
      .tuple(fc.constantFrom('grant_type=client_credentials', 'grant_type=client_credential', 'a=b'), scope)
      .map((parts) => parts.join(''));
    const type = fc.constantFrom(form['content-type'], `${form['content-type']}; charset=utf-8`, 'text/plain');
    const usual = <T>(weight: number, value: T, other: fc.Arbitrary<T>) =>
      fc.oneof({ weight, arbitrary: fc.constant(value) }, { weight: 1, arbitrary: other });
    const request = fc.record({
      authorization: usual(2, encode(`${id}:${key}`), authorization),
      scheme: usual(4, 'Basic ', scheme),
      type: usual(4, form['content-type'], type),
      body,
    });
    const statuses = new Set<number>();
    await fc.assert(
      fc.asyncProperty(request, async ({ authorization, scheme, type, body }) => {
        const headers = { authorization: scheme + authorization, 'content-type': type };
        const [plain, other] = await Promise.all(
          [body, body + ignored].map((sent) => decided({ headers, body: sent })),
        );
        statuses.add(plain!.status);
        expect(shapeOf(plain!)).toEqual(shapeOf(other!));
      }),
      { numRuns: 150 },
    );
    expect([...statuses].sort()).toEqual([200, 400, 401]);
  });

  it('issue tokens that the API accepts alike', async () => {
    for (const extra of ['', ignored]) {
      const { body } = await decided({ body: `grant_type=client_credentials&scope=issued:read${extra}` });
      const { status } = await exchange({
        origin: stack.gateways[0]!,
        path: '/o/acme/api/credentials/subjects?limit=1',
        headers: { authorization: `Bearer ${body.access_token}` },
      });
      expect(status).toBe(200);
    }
  });
});

describe('metadata', () => {
  it('describes the authorization server (RFC 8414)', async () => {
    const { status, body } = await exchange<object>({
      origin: stack.gateways[0]!,
      path: '/.well-known/oauth-authorization-server',
    });
    expect(status).toBe(200);
    expect(body).toMatchObject({
      issuer: stack.baseUrl,
      token_endpoint: `${stack.baseUrl}/oauth2/token`,
      grant_types_supported: ['client_credentials'],
      token_endpoint_auth_methods_supported: expect.arrayContaining(['client_secret_basic']),
      scopes_supported: expect.arrayContaining([...shop.scopes, ...automation.scopes]),
    });
    for (const name of neverGrantable) expect(JSON.stringify(body)).not.toContain(name);
  });

  it('describes the API (RFC 9728)', async () => {
    // RFC 9728 §3.3: `resource` is the URL without the well-known part.
    for (const resource of ['', '/api']) {
      const { status, body } = await exchange<object>({
        origin: stack.gateways[0]!,
        path: `/.well-known/oauth-protected-resource${resource}`,
      });
      expect(status).toBe(200);
      expect(body).toMatchObject({
        resource: stack.baseUrl + resource,
        authorization_servers: [stack.baseUrl],
        bearer_methods_supported: ['header'],
      });
    }
  });

  it('is sufficient for a certified client library', async () => {
    const authentication = openid.ClientSecretBasic(shop.clientSecret);
    const config = await openid.discovery(new URL(stack.baseUrl), shop.clientId, undefined, authentication, {
      algorithm: 'oauth2',
      execute: [openid.allowInsecureRequests],
    });
    const token = await openid.clientCredentialsGrant(config, { scope: 'issued:read' });
    expect(token).toMatchObject({ token_type: 'bearer', expires_in: 600, scope: 'issued:read' });
    const response = await openid.fetchProtectedResource(
      config,
      token.access_token,
      new URL(`${stack.baseUrl}/o/acme/api/credentials/subjects?limit=1`),
      'GET',
    );
    expect(response.status).toBe(200);
    await expect(openid.clientCredentialsGrant(config, { scope: 'roles:manage' })).rejects.toMatchObject({
      error: 'invalid_scope',
    });
  });
});

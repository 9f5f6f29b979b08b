import { parse } from 'node:querystring';
import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { clientCredentialsRequestOf } from './client-credentials-request.js';

const clientId = `app_${'a'.repeat(22)}`;
const secret = 'x-Y_9'.repeat(8);
const basic = (text: string) => `Basic ${Buffer.from(text).toString('base64')}`;
const authorization = basic(`${clientId}:${secret}`);
const type = 'application/x-www-form-urlencoded';
const form = 'grant_type=client_credentials&scope=offers:write';
const url = '/oauth2/token';

interface Changes {
  url?: string;
  headers?: Record<string, string | undefined>;
  body?: string | Buffer;
}

const read = ({ body = form, headers = {}, ...request }: Changes) =>
  clientCredentialsRequestOf(
    { url, ...request, headers: { authorization, 'content-type': type, ...headers } },
    Buffer.from(body as string),
  );

describe('a request is one of client credentials with a secret', () => {
  it.each<[string, Changes, string | undefined]>([
    ['with a scope', {}, 'offers:write'],
    ['with several scopes', { body: 'scope=a+b%20c&grant_type=client_credentials' }, 'a b c'],
    ['with an escaped scope', { body: 'grant_type=client_credentials&scope=offers%3Awrite' }, 'offers:write'],
    ['without a scope', { body: 'grant_type=client_credentials' }, undefined],
    ['with an empty scope', { body: 'grant_type=client_credentials&scope=' }, undefined],
    ['in UTF-8', { headers: { 'content-type': 'application/x-www-form-urlencoded; charset=UTF-8' } }, 'offers:write'],
    [
      'whose scheme is in capitals',
      { headers: { authorization: authorization.replace('Basic', 'BASIC') } },
      'offers:write',
    ],
  ])('%s', (_, changes, scope) => {
    expect(read(changes)).toEqual({ clientId, secret, ...(scope !== undefined && { scope }) });
  });
});

describe('a request is for oidc-provider', () => {
  it.each<[string, Changes]>([
    ['with another grant', { body: 'grant_type=authorization_code&scope=openid' }],
    ['without a grant', { body: 'scope=offers:write' }],
    ['with the grant twice', { body: `${form}&grant_type=client_credentials` }],
    ['with the scope twice', { body: `${form}&scope=issued:read` }],
    ['with the scope twice, once empty', { body: `${form}&scope=` }],
    ['with a further parameter', { body: `${form}&resource=https://id.example` }],
    ['with a client_id', { body: `${form}&client_id=${clientId}` }],
    ['with a client assertion', { body: `${form}&client_assertion=a.b.c` }],
    ['with a secret in the body', { body: `${form}&client_secret=${secret}` }],
    ['with __proto__ as a parameter', { body: `${form}&__proto__=x` }],
    ['with an invalid escape', { body: `${form}%` }],
    ['with an escaped control character', { body: `${form}%00` }],
    ['with UTF-8', { body: `${form}é` }],
    ['with escaped UTF-8', { body: `${form}%C3%A9` }],
    ['with two spaces', { body: `${form}++issued:read` }],
    ['with a long scope', { body: `${form}${'+offers:write'.repeat(200)}` }],
    ['with a long body', { body: `${form}${'%61'.repeat(2000)}` }],
    ['without a body', { body: '' }],
    ['with a query', { url: `${url}?scope=offers:write` }],
    ['at another address', { url: '/o/acme/token' }],
    ['of another type', { headers: { 'content-type': 'application/json' } }],
    ['of no type', { headers: { 'content-type': undefined } }],
    ['in another charset', { headers: { 'content-type': `${type}; charset=utf-16le` } }],
    ['that is compressed', { headers: { 'content-encoding': 'gzip' } }],
    ['with a DPoP proof', { headers: { dpop: 'a.b.c' } }],
    ['with an attestation', { headers: { 'oauth-client-attestation': 'a.b.c' } }],
    ['from a page', { headers: { origin: 'https://id.example' } }],
    ['without credentials', { headers: { authorization: undefined } }],
    ['with another scheme', { headers: { authorization: authorization.replace('Basic', 'Bearer') } }],
    ['with two spaces after the scheme', { headers: { authorization: authorization.replace(' ', '  ') } }],
    ['with credentials of another alphabet', { headers: { authorization: `${authorization.slice(0, -4)}_-_-` } }],
    // The last four bits before `==` mean nothing, and are not zero.
    ['with credentials in another encoding', { headers: { authorization: authorization.replace(/[AQgw]==$/, 'x==') } }],
    ['without a colon', { headers: { authorization: basic(clientId) } }],
    ['with two colons', { headers: { authorization: basic(`${clientId}:${secret}:${secret}`) } }],
    ['without a secret', { headers: { authorization: basic(`${clientId}:`) } }],
    ['with a secret that needs an escape', { headers: { authorization: basic(`${clientId}:${secret}%41`) } }],
    ['with a secret of 513 characters', { headers: { authorization: basic(`${clientId}:${'a'.repeat(513)}`) } }],
    ['of a client with another name', { headers: { authorization: basic(`nobody:${secret}`) } }],
  ])('%s', (_, changes) => {
    expect(read(changes)).toBeUndefined();
  });
});

it('what is recognized is read as by the parser of oidc-provider', () => {
  const part = fc.oneof(
    fc.constantFrom(
      'grant_type',
      'scope',
      'client_credentials',
      '=',
      '&',
      '+',
      '%20',
      '%3A',
      ':',
      '%',
      '%zz',
      '%73cope',
    ),
    fc.constantFrom('grant_type=client_credentials', 'scope=offers:write', '&scope=', 'resource', '__proto__', '%25'),
    fc.string({ maxLength: 3 }),
  );
  const prefix = fc.constantFrom('', 'grant_type=client_credentials&', 'scope=');
  let recognized = 0;
  fc.assert(
    fc.property(prefix, fc.array(part, { maxLength: 6 }), (start, parts) => {
      const body = start + parts.join('');
      const request = read({ body });
      if (!request) return;
      recognized += 1;
      const { grant_type: grant, scope, ...others } = parse(body);
      expect([grant, scope || undefined]).toEqual(['client_credentials', request.scope]);
      expect(others).toEqual({});
    }),
    { numRuns: 20_000 },
  );
  expect(recognized).toBeGreaterThan(100);
});

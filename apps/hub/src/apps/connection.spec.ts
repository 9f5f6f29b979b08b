import { webcrypto } from 'node:crypto';
import { beforeAll, expect, test } from '@jest/globals';
import { parse } from 'yaml';
import type { App } from './app-queries.ts';
import { connectionOf, libraries, librariesOf, trialSignIn } from './connection.ts';

const app = {
  clientId: 'app_2VwTq0yB1n8d5cJ7wX2kZg',
  kind: 'web',
  redirectUris: ['https://shop.example/callback'],
} as App;
const issuer = 'https://id.example/o/acme';

beforeAll(() => {
  // Of browsers; Node.js 20 has it for scripts only.
  globalThis.crypto ??= webcrypto as Crypto;
});

test.each(libraries.map((library) => [library]))('the configuration for %s has the values of the app', (library) => {
  const text = connectionOf(library, issuer, app);
  for (const value of [app.clientId, issuer, app.redirectUris[0]!]) expect(text).toContain(value);
  expect(text).toMatch(/client[_-]?secret/i);
  expect(connectionOf(library, issuer, { ...app, kind: 'spa' })).not.toMatch(/client[_-]?secret/i);
});

test('an app that signs in on devices alone has the configuration of a library that has them', () => {
  const tv: App = { ...app, kind: 'native', redirectUris: [], deviceAuthorization: true };
  expect(librariesOf(tv)).toEqual(['Node.js']);
  const text = connectionOf('Node.js', issuer, tv);
  expect(text).toContain('initiateDeviceAuthorization');
  expect(text).not.toContain('redirect_uri');
  expect(librariesOf({ ...tv, redirectUris: ['example.tv:/in'] })).toBe(libraries);
});

test('the configuration for Spring Boot is YAML', () => {
  expect(parse(connectionOf('Spring Boot', issuer, app))).toMatchObject({
    spring: { security: { oauth2: { client: { provider: { holdfast: { 'issuer-uri': issuer } } } } } },
  });
});

test('the configuration for Spring Boot has PKCE for an app with a secret', () => {
  expect(connectionOf('Spring Boot', issuer, app)).toContain('withPkce()');
  expect(connectionOf('Spring Boot', issuer, { ...app, kind: 'spa' })).not.toContain('withPkce()');
});

test('the configuration for Spring Boot names the path of a redirect URI that it does not handle by itself', () => {
  expect(connectionOf('Spring Boot', issuer, app)).toContain('baseUri("/callback")');
  const redirectUris = ['https://shop.example/login/oauth2/code/holdfast'];
  expect(connectionOf('Spring Boot', issuer, { ...app, redirectUris })).not.toContain('baseUri');
});

test('a trial sign-in is an authorization request with PKCE', async () => {
  const { origin, pathname, searchParams } = new URL(await trialSignIn(issuer, app));
  expect(origin + pathname).toBe(`${issuer}/authorize`);
  expect(Object.fromEntries(searchParams)).toMatchObject({
    client_id: app.clientId,
    redirect_uri: app.redirectUris[0],
    response_type: 'code',
    code_challenge: expect.stringMatching(/^[\w-]{43}$/),
    code_challenge_method: 'S256',
  });
});

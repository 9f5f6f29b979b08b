import { afterEach, expect, jest, test } from '@jest/globals';
import { ClientTokens } from './client-token.ts';
import { HoldfastUnavailable } from './errors.ts';

const client = { tokenEndpoint: 'http://localhost/oauth2/token', clientId: 'app_1', clientSecret: 's' };
const respondWith = (...responses: Response[]) =>
  jest.spyOn(globalThis, 'fetch').mockImplementation(() => Promise.resolve(responses.shift()!));
const token = (name: string) => Response.json({ access_token: name, expires_in: 600 });

afterEach(() => {
  jest.restoreAllMocks();
});

test('get caches one token per scope and replaces it 30 seconds before it expires', async () => {
  let now = 0;
  const fetched = respondWith(token('a'), token('b'), token('c'));
  const tokens = new ClientTokens(client, () => now);
  expect(await Promise.all([tokens.get('x'), tokens.get('x')])).toEqual(['a', 'a']);
  expect(await tokens.get('y')).toBe('b');
  now = 569_999;
  expect(await tokens.get('x')).toBe('a');
  now = 570_000;
  expect(await tokens.get('x')).toBe('c');
  expect(fetched.mock.calls.map(([, init]) => init?.body)).toEqual(
    ['x', 'y', 'x'].map((scope) => new URLSearchParams({ grant_type: 'client_credentials', scope })),
  );
});

test('get sends a new request after an error response, an unavailable endpoint and clear', async () => {
  respondWith(
    Response.json({ error: 'invalid_client' }, { status: 401 }),
    new Response('', { status: 503 }),
    token('a'),
    token('b'),
  );
  const tokens = new ClientTokens(client);
  await expect(tokens.get('x')).rejects.toMatchObject({ code: 'invalid_client', status: 401 });
  await expect(tokens.get('x')).rejects.toBeInstanceOf(HoldfastUnavailable);
  expect(await tokens.get('x')).toBe('a');
  tokens.clear('x');
  expect(await tokens.get('x')).toBe('b');
});

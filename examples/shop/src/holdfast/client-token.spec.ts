import { afterEach, expect, jest, test } from '@jest/globals';
import { ClientTokens } from './client-token.ts';
import { HoldfastAway } from './trouble.ts';

const client = { tokenEndpoint: 'http://localhost/oauth2/token', clientId: 'app_1', clientSecret: 's' };
const answering = (...responses: Response[]) =>
  jest.spyOn(globalThis, 'fetch').mockImplementation(() => Promise.resolve(responses.shift()!));
const token = (name: string) => Response.json({ access_token: name, expires_in: 600 });

afterEach(() => {
  jest.restoreAllMocks();
});

test('a token is kept until shortly before it ends, for each scope its own', async () => {
  let now = 0;
  const fetched = answering(token('a'), token('b'), token('c'));
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

test('a refusal and a silence are not kept', async () => {
  answering(
    Response.json({ error: 'invalid_client' }, { status: 401 }),
    new Response('', { status: 503 }),
    token('a'),
    token('b'),
  );
  const tokens = new ClientTokens(client);
  await expect(tokens.get('x')).rejects.toMatchObject({ code: 'invalid_client', status: 401 });
  await expect(tokens.get('x')).rejects.toBeInstanceOf(HoldfastAway);
  expect(await tokens.get('x')).toBe('a');
  tokens.forget('x');
  expect(await tokens.get('x')).toBe('b');
});

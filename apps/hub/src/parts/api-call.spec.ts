import { execFileSync } from 'node:child_process';
import { runInThisContext } from 'node:vm';
import { expect, test } from '@jest/globals';
import { snippetOf, type ApiCall } from './api-call.ts';

const origin = 'https://id.example';
const body = { name: 'it\'s "quoted" \\ `and` $HOME\n', operations: ['audit:read'] };
const call: ApiCall = { method: 'POST', path: '/o/acme/api/admin/apps', body };

test('the curl command passes the body on as it is, whatever it contains', () => {
  const script = `curl() { printf '%s\\n' "$@"; }\n${snippetOf('curl', origin, call)}`;
  const printed = execFileSync('sh', ['-c', script], { encoding: 'utf8', env: { ACCESS_TOKEN: 't0ken' } });
  expect(printed).toContain('Authorization: Bearer t0ken');
  expect(printed).toContain(JSON.stringify(body));
  expect(printed).toContain(`${origin}${call.path}`);
});

test('the TypeScript program sends method, address and body', async () => {
  const sent: unknown[] = [];
  const send = (...given: unknown[]) => Promise.resolve(sent.push(...given));
  const program = `(async (fetch, accessToken) => { ${snippetOf('TypeScript', origin, call)} })`;
  await (runInThisContext(program) as (fetch: typeof send, accessToken: string) => Promise<void>)(send, 't0ken');
  expect(sent).toEqual([
    origin + call.path,
    {
      method: 'POST',
      headers: { authorization: 'Bearer t0ken', 'content-type': 'application/json' },
      body: JSON.stringify(body),
    },
  ]);
});

test('a request without a body has none', () => {
  for (const language of ['curl', 'TypeScript', 'Python'] as const) {
    const text = snippetOf(language, origin, { method: 'GET', path: '/o/acme/api/admin/apps' });
    expect(text).not.toMatch(/content-type|body|data=/i);
  }
});

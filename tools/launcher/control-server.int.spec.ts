import { request } from 'node:http';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { openControl } from './control-server.ts';
import type { Member } from './house.ts';

let control: Awaited<ReturnType<typeof openControl>>;
beforeAll(async () => {
  const broken = { name: 'broken', replica: 1, readyUrl: null, supervised: { state: 'ready', pid: 1, signal: () => Promise.reject(new Error('no')) } } as unknown as Member;
  control = await openControl([broken]);
});
afterAll(() => control.close());

/** As it stands: fetch would not send such a path. */
function ask(path: string, authorization = `Bearer ${control.token}`): Promise<number | undefined> {
  return new Promise((resolve, reject) => {
    request({ host: '127.0.0.1', port: control.port, method: 'POST', path, headers: { authorization } }, (response) => resolve(response.resume().statusCode)).on('error', reject).end();
  });
}

describe('the control port', () => {
  it.each([['/%zz', 404], ['/%', 404], ['/stop/%E0%A4%A', 404], ['/pause/broken', 500], ['/list', 200]])('answers %s with %i and goes on', async (path, status) => {
    expect(await ask(path)).toBe(status);
    expect(await ask('/list')).toBe(200);
  });

  it.each(['', 'Bearer x', `Bearer ${'\u00e9'.repeat(43)}`, `Bearer ${'x'.repeat(43)}`])('answers 401 to the authorization %j and goes on', async (authorization) => {
    expect(await ask('/list', authorization)).toBe(401);
    expect(await ask('/list')).toBe(200);
  });
});

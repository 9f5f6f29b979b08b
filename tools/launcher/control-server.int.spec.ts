import { mkdirSync, mkdtempSync, writeFileSync } from 'node:fs';
import { request } from 'node:http';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { startControlServer } from './control-server.ts';
import type { Member } from './stack.ts';

const build = mkdtempSync(join(process.env.TEST_TMP ?? '', 'other-'));
const started: unknown[] = [];
const reloaded: string[] = [];
let control: Awaited<ReturnType<typeof startControlServer>>;
beforeAll(async () => {
  const broken = {
    name: 'broken',
    replica: 1,
    readyUrl: null,
    supervised: { state: 'ready', pid: 1, signal: () => Promise.reject(new Error('no')) },
  } as unknown as Member;
  const stopped = {
    name: 'stopped',
    replica: 1,
    readyUrl: null,
    plan: (...wanted: unknown[]) => wanted,
    supervised: {
      state: 'ready',
      pid: null,
      start: (program: unknown) => void started.push(program),
      untilReady: () => Promise.resolve(true),
    },
  } as unknown as Member;
  const bus = {
    name: 'bus',
    replica: 1,
    readyUrl: null,
    configure: () => void reloaded.push('configured'),
    supervised: { state: 'ready', pid: 1, signal: (signal: string) => reloaded.push(signal) > 0 },
  } as unknown as Member;
  mkdirSync(join(build, 'apps', 'stopped', 'dist'), { recursive: true });
  writeFileSync(join(build, 'apps', 'stopped', 'dist', 'main.js'), '');
  control = await startControlServer([broken, stopped, bus]);
});
afterAll(() => control.close());

/** Sends the path unchanged; fetch would normalize or reject it. */
function statusOf(path: string, authorization = `Bearer ${control.token}`, body = ''): Promise<number | undefined> {
  return new Promise((resolve, reject) => {
    request({ host: '127.0.0.1', port: control.port, method: 'POST', path, headers: { authorization } }, (response) =>
      resolve(response.resume().statusCode),
    )
      .on('error', reject)
      .end(body);
  });
}

describe('the control port', () => {
  it.each([
    ['/%zz', 404],
    ['/%', 404],
    ['/stop/%E0%A4%A', 404],
    ['/pause/broken', 500],
    ['/list', 200],
  ])('answers %s with %i and continues', async (path, status) => {
    expect(await statusOf(path)).toBe(status);
    expect(await statusOf('/list')).toBe(200);
  });

  it.each(['', 'Bearer x', `Bearer ${'\u00e9'.repeat(43)}`, `Bearer ${'x'.repeat(43)}`])(
    'answers 401 to the authorization %j and continues',
    async (authorization) => {
      expect(await statusOf('/list', authorization)).toBe(401);
      expect(await statusOf('/list')).toBe(200);
    },
  );

  it.each([
    ['', 200, [{}, undefined]],
    ['{"settings":{"LOG_LEVEL":"debug"}}', 200, [{ LOG_LEVEL: 'debug' }, undefined]],
    [JSON.stringify({ build }), 200, [{}, build]],
    ['{"build":"/nowhere"}', 400, undefined],
    ['{"build":"apps"}', 400, undefined],
    ['{"settings":{"A":1}}', 400, undefined],
    ['{', 400, undefined],
    ['null', 400, undefined],
    ['x'.repeat(70_000), 400, undefined],
  ])('answers a start with the body %.40s with %i', async (body, status, planned) => {
    started.length = 0;
    expect(await statusOf('/start/stopped', undefined, body)).toBe(status);
    expect(started).toEqual(planned === undefined ? [] : [planned]);
    expect(await statusOf('/list')).toBe(200);
  });

  it('reloads a program after it has written its configuration, and refuses to reload others', async () => {
    expect([await statusOf('/reload/bus'), await statusOf('/reload/broken')]).toEqual([200, 409]);
    expect(reloaded).toEqual(['configured', 'SIGHUP']);
  });

  it('answers 409 to the start of another build while the service runs', async () => {
    mkdirSync(join(build, 'apps', 'broken', 'dist'), { recursive: true });
    writeFileSync(join(build, 'apps', 'broken', 'dist', 'main.js'), '');
    expect(await statusOf('/start/broken', undefined, JSON.stringify({ build }))).toBe(409);
  });
});

import { execFile } from 'node:child_process';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { promisify } from 'node:util';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { plainAddress, reachingEnv, readiness } from './public-address.ts';

let server: Server;
let port: number;
beforeAll(async () => {
  server = createServer((request, response) => response.end(`${request.headers.host}\n`));
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  ({ port } = server.address() as AddressInfo);
});
afterAll(() => void server.close());

test('readiness is asked of this machine, under the name in the address', async () => {
  const url = `http://id.example.test:${port}/readyz`;
  expect(await readiness(url)).toEqual({ ready: true, remarks: [] });
});

test('a program of a stack whose host no name server knows reaches it nevertheless', async () => {
  const address = { ...plainAddress(`http://id.example.test:${port}`), isResolved: false, host: '127.0.0.1' };
  const program = `
    import { lookup } from 'node:dns/promises';
    console.log(await (await fetch('http://ID.example.test:${port}')).text(), (await lookup('localhost')).address,
      await lookup('other.example.test').catch(({ code }) => 'not found'));`;
  const { stdout } = await promisify(execFile)(process.execPath, ['--input-type=module', '-e', program], {
    env: { PATH: process.env.PATH, ...reachingEnv(address, {}) },
  });
  expect(stdout.split(/\s+/)).toEqual([
    `id.example.test:${port}`,
    expect.stringMatching(/127|::1/),
    'not',
    'found',
    '',
  ]);
  expect(reachingEnv({ ...address, isResolved: true }, {})).toEqual({});
});

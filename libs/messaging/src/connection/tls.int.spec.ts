import { copyFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { createLogger } from '@holdfast/platform';
import { eventually, startTestBus, TestAuthority, type TestBus } from '@holdfast/testing';
import { connectBus } from './connection.js';

let authority: TestAuthority;
let other: TestAuthority;
let bus: TestBus;
let plainBus: TestBus;
const lines: string[] = [];
const logger = createLogger('test', 'warn', '1', { write: (line: string) => void lines.push(line) });

beforeAll(async () => {
  [authority, other] = [await TestAuthority.create(), await TestAuthority.create()];
  bus = await startTestBus({ tls: await authority.issue('localhost') });
  plainBus = await startTestBus();
});
afterAll(() => Promise.all([bus.stop(), plainBus.stop()]));

const urlOf = ({ url }: TestBus) => url.replace('127.0.0.1', 'localhost');
const connectTo = (to: TestBus, caFile: string, signal?: AbortSignal) =>
  connectBus(
    { url: urlOf(to), nkeySeed: to.seed('gateway'), user: 'gateway', caFile, ...(signal && { signal }) },
    logger,
  );

it('connects to a server whose certificate the file signed', async () => {
  const connection = await connectTo(bus, authority.caFile);
  await connection.flush();
  await connection.close();
});

it.each([
  ['whose certificate another authority signed', () => bus, 'certificate signature failure'],
  ['without TLS', () => plainBus, "server does not support 'tls'"],
])('does not connect to a server %s, and logs why', async (_, server, reason) => {
  lines.length = 0;
  const abort = new AbortController();
  const connecting = connectTo(server(), other.caFile, abort.signal);
  const outcome = connecting.then(
    () => 'connected',
    () => 'aborted',
  );
  await eventually(() => expect(lines.join('')).toContain(reason));
  expect(lines.join('')).toContain('cannot connect to NATS at');
  abort.abort();
  expect(await outcome).toBe('aborted');
});

it('reads the certificates of a replaced file for the next connection', async () => {
  const caFile = join(other.folder, 'replaced.pem');
  copyFileSync(other.caFile, caFile);
  const connecting = connectTo(bus, caFile);
  copyFileSync(authority.caFile, caFile);
  await (await connecting).close();
});

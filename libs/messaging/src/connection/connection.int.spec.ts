import { createServer, Socket, type AddressInfo, type Server } from 'node:net';
import { afterAll, beforeAll, expect, jest, test } from '@jest/globals';
import { createUser } from '@nats-io/nkeys';
import { minimumNatsVersion } from '@holdfast/contracts';
import { createLogger } from '@holdfast/platform';
import { eventually } from '@holdfast/testing';
import { connectBus } from './connection.js';

let server: Server;
let url: string;
let version: string;
/** What clients have sent. */
let received = '';

/** Implements enough of the protocol for a client to connect. */
beforeAll(async () => {
  server = createServer((socket) => {
    const info = {
      server_id: 'X',
      server_name: 'X',
      version,
      proto: 1,
      go: '',
      host: '127.0.0.1',
      port: 0,
      headers: true,
      max_payload: 1_048_576,
      jetstream: true,
      nonce: 'abc',
    };
    socket.on('error', () => undefined).write(`INFO ${JSON.stringify(info)} \r\n`);
    socket.on('data', (chunk) => {
      received += chunk.toString();
      if (chunk.includes('PING')) socket.write('PONG\r\n');
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  url = `nats://127.0.0.1:${(server.address() as AddressInfo).port}`;
});
afterAll(() => void server.close());

const nkeySeed = new TextDecoder().decode(createUser().getSeed());

test('connecting to an unsupported nats-server fails and says what to do', async () => {
  // Of Debian 12.
  version = '2.9.10';
  await expect(connectBus({ url, nkeySeed, user: 'gateway' }, createLogger('test', 'fatal'))).rejects.toThrow(
    /version 2\.9\.10, and Holdfast needs 2\.10\.27 or newer: .* Upgrade it/,
  );
});

test('messages of several callbacks in one turn of the event loop are one write, in their order', async () => {
  version = minimumNatsVersion;
  const connection = await connectBus({ url, nkeySeed, user: 'gateway' }, createLogger('test', 'fatal'));
  const write = jest.spyOn(Socket.prototype, 'write');
  for (let turn = 0; turn < 3; turn += 1) {
    await new Promise(setImmediate);
    for (let i = 0; i < 10; i += 1) {
      connection.publish('hint.test', `${turn}.${i};`);
      // The microtask in which the client writes by itself.
      await Promise.resolve();
    }
  }
  await new Promise(setImmediate);
  const writes = write.mock.calls.length;
  write.mockRestore();
  expect(writes).toBe(3);
  await connection.flush();
  const payloads = received.match(/\d\.\d;/g);
  expect(payloads).toEqual(Array.from({ length: 30 }, (_, n) => `${Math.floor(n / 10)}.${n % 10};`));
  await connection.close();
});

test('what is published right before a drain arrives', async () => {
  version = minimumNatsVersion;
  const connection = await connectBus({ url, nkeySeed, user: 'gateway' }, createLogger('test', 'fatal'));
  connection.publish('hint.test', 'last words');
  await connection.drain();
  await eventually(() => received.includes('last words'));
});

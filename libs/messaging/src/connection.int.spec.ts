import { createServer, type AddressInfo, type Server } from 'node:net';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { createUser } from '@nats-io/nkeys';
import { createLogger } from '@holdfast/platform';
import { connectBus } from './connection.js';

let server: Server;
let url: string;

/** Implements enough of the protocol for a client to connect, with the nats-server version of Debian 12. */
beforeAll(async () => {
  server = createServer((socket) => {
    const info = {
      server_id: 'X',
      server_name: 'X',
      version: '2.9.10',
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
    socket.on('data', (chunk) => chunk.includes('PING') && socket.write('PONG\r\n'));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  url = `nats://127.0.0.1:${(server.address() as AddressInfo).port}`;
});
afterAll(() => void server.close());

test('connecting to an unsupported nats-server fails and says what to do', async () => {
  const nkeySeed = new TextDecoder().decode(createUser().getSeed());
  await expect(connectBus({ url, nkeySeed, user: 'gateway' }, createLogger('test', 'fatal'))).rejects.toThrow(
    /version 2\.9\.10, and Holdfast needs 2\.10\.27 or newer: .* Upgrade it/,
  );
});

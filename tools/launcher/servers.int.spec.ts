import { createServer, type AddressInfo, type Server } from 'node:net';
import { afterEach, expect, test } from '@jest/globals';
import { freePort } from '../infra/ports.ts';
import { externalNats } from './servers.ts';

let server: Server | undefined;
afterEach(() => void server?.close());

/** Greets as a nats-server of this version does. */
async function greetingAs(info: object): Promise<number> {
  server = createServer((socket) => socket.on('error', () => undefined).write(`INFO ${JSON.stringify(info)} \r\n`));
  await new Promise<void>((resolve) => server!.listen(0, '127.0.0.1', resolve));
  return (server.address() as AddressInfo).port;
}

const external = (port: number) => externalNats(`nats://127.0.0.1:${port}`, port, '/somewhere/nats.conf');

test('refuses a NATS_URL whose server is too old, and says what to do', async () => {
  const port = await greetingAs({ version: '2.9.10', jetstream: true });
  await expect(external(port)).rejects.toThrow(
    `The nats-server at 127.0.0.1:${port} is version 2.9.10, and Holdfast needs 2.10.27 or newer; upgrade it, or leave NATS_URL out.`,
  );
});

test('refuses a NATS_URL without JetStream, and one where nobody listens', async () => {
  await expect(external(await greetingAs({ version: '2.10.27' }))).rejects.toThrow(
    'No nats-server with JetStream answers at',
  );
  await expect(external(await freePort())).rejects.toThrow('No nats-server with JetStream answers at');
});

test('takes one that is new enough', async () => {
  const port = await greetingAs({ version: '2.10.27', jetstream: true });
  expect(await external(port)).toEqual({
    url: `nats://127.0.0.1:${port}`,
    title: `the nats-server 2.10.27 of NATS_URL (127.0.0.1:${port})`,
  });
});

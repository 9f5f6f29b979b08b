import { createServer, type AddressInfo, type Server } from 'node:net';
import { afterEach, expect, test } from '@jest/globals';
import { freePort } from '../infra/ports.ts';
import { externalNats } from './servers.ts';

let server: Server | undefined;
afterEach(() => void server?.close());

/** Listens like a nats-server and sends this INFO. @returns its port */
async function serverWithInfo(info: object): Promise<number> {
  server = createServer((socket) => socket.on('error', () => undefined).write(`INFO ${JSON.stringify(info)} \r\n`));
  await new Promise<void>((resolve) => server!.listen(0, '127.0.0.1', resolve));
  return (server.address() as AddressInfo).port;
}

const external = (port: number) => externalNats(`nats://127.0.0.1:${port}`, port, '/somewhere/nats.conf');

test('rejects a NATS_URL whose server is too old, and explains what to do', async () => {
  const port = await serverWithInfo({ version: '2.9.10', jetstream: true });
  await expect(external(port)).rejects.toThrow(
    `The nats-server at 127.0.0.1:${port} is version 2.9.10, and Holdfast needs 2.10.27 or newer. ` +
      'Upgrade it, or unset NATS_URL.',
  );
});

test('rejects a NATS_URL without JetStream, and one without a server', async () => {
  await expect(external(await serverWithInfo({ version: '2.10.27' }))).rejects.toThrow(
    'There is no nats-server with JetStream at',
  );
  await expect(external(await freePort())).rejects.toThrow('There is no nats-server with JetStream at');
});

test('accepts a NATS_URL whose server is new enough', async () => {
  const port = await serverWithInfo({ version: '2.10.27', jetstream: true });
  expect(await external(port)).toEqual({
    url: `nats://127.0.0.1:${port}`,
    title: `the nats-server 2.10.27 of NATS_URL (127.0.0.1:${port})`,
  });
});

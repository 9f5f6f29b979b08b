import { createServer, type Server } from 'node:http';
import { connect, type AddressInfo, type Socket } from 'node:net';
import { afterEach, describe, it } from '@jest/globals';
import { eventually } from '@holdfast/testing';
import { limitConnections, type ConnectionLimits } from './connection-limits.js';

let server: Server;
let sockets: Socket[] = [];

async function listen(limits: Partial<ConnectionLimits>): Promise<void> {
  server = createServer();
  limitConnections(server, { max: 100, maxPerAddress: 100, trusted: [], ...limits });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
}

async function open(count: number): Promise<void> {
  const opened = Array.from({ length: count }, () =>
    connect((server.address() as AddressInfo).port, '127.0.0.1').on('error', () => undefined),
  );
  sockets.push(...opened);
  await Promise.all(
    opened.map((socket) => new Promise((resolve) => socket.once('connect', resolve).once('close', resolve))),
  );
}

const openConnections = () => new Promise<number>((resolve) => server.getConnections((_, count) => resolve(count)));
const settlesAt = (count: number) => eventually(async () => (await openConnections()) === count);

afterEach(async () => {
  for (const socket of sockets) socket.destroy();
  sockets = [];
  await new Promise((resolve) => server.close(resolve));
});

describe('client connections', () => {
  it('over the limit of one address are closed, and a closed one makes room', async () => {
    await listen({ maxPerAddress: 3 });
    await open(5);
    await settlesAt(3);
    for (const socket of sockets) socket.destroy();
    await settlesAt(0);
    await open(3);
    await settlesAt(3);
  });

  it.each(['127.0.0.1', '127.0.0.0/8'])('of the trusted proxy %s are not limited per address', async (trusted) => {
    await listen({ maxPerAddress: 1, trusted: [trusted] });
    await open(4);
    await settlesAt(4);
  });

  it('over the total limit are closed', async () => {
    await listen({ max: 2, trusted: ['127.0.0.1'] });
    await open(4);
    await settlesAt(2);
  });
});

import { createServer, type AddressInfo, type Server } from 'node:net';
import { promisify } from 'node:util';
import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import type { NatsConnection, Status } from '@nats-io/transport-node';
import type { BusUser } from '@holdfast/contracts';
import { createLogger } from '@holdfast/platform';
import { eventually, startTestCluster, type TestCluster } from '@holdfast/testing';
import { onConnectionStatus } from './connection-status.js';
import { connectBus, connectTimeoutMs, maxSilenceMs, type BusOptions } from './connection.js';

const lines: string[] = [];
const logger = createLogger('test', 'info', '1', { write: (line: string) => void lines.push(line) });
const open: NatsConnection[] = [];
let cluster: TestCluster;

beforeAll(async () => void (cluster = await startTestCluster()));
afterEach(async () => {
  for (const connection of open.splice(0)) await connection.close();
  for (const server of cluster.servers) server.pause(false);
  lines.length = 0;
});
afterAll(() => cluster.stop());

async function connectAs(user: BusUser, more: Partial<BusOptions> = {}): Promise<NatsConnection> {
  const connection = await connectBus({ url: cluster.url, nkeySeed: cluster.seed(user), user, ...more }, logger);
  open.push(connection);
  return connection;
}
const serverOf = (connection: NatsConnection, servers = cluster.servers) =>
  servers.find(({ url }) => url === `nats://${connection.getServer()}`)!;

function statusesOf(connection: NatsConnection): Status['type'][] {
  const types: Status['type'][] = [];
  onConnectionStatus(
    connection,
    ({ type }) => void types.push(type),
    () => undefined,
  );
  return types;
}

/** An address that accepts connections and never responds, as a dead one whose packets are dropped. */
async function deadAddress(onAttempt: () => void): Promise<{ server: Server; url: string }> {
  const server = createServer((socket) => {
    onAttempt();
    socket.on('error', () => undefined);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return { server, url: `nats://127.0.0.1:${(server.address() as AddressInfo).port}` };
}

const openSockets = promisify((server: Server, done: (error: Error | null, count: number) => void) =>
  server.getConnections(done),
);

describe('a NATS server that becomes silent', () => {
  it('is left within 3 s, for another server with the first attempt', async () => {
    expect(maxSilenceMs(3)).toBeLessThan(2500);
    const connection = await connectAs('gateway');
    const lost = serverOf(connection);
    const statuses = statusesOf(connection);
    lost.pause(true);
    await eventually(() => statuses.includes('reconnect'));
    const [from, to] = [statuses.indexOf('disconnect'), statuses.indexOf('reconnect')];
    expect(statuses.slice(from, to).filter((type) => type === 'reconnecting')).toHaveLength(1);
    expect(serverOf(connection)).not.toBe(lost);
    await connection.flush();
  });

  it('and a second one are left for the third', async () => {
    const connection = await connectAs('gateway');
    const statuses = statusesOf(connection);
    const first = serverOf(connection);
    const [second, third] = cluster.servers.filter((server) => server !== first);
    first.pause(true);
    second!.pause(true);
    await eventually(() => expect(serverOf(connection)).toBe(third));
    await eventually(() => statuses.includes('reconnect'));
    // At most one attempt at the second one; none at the first one before the third.
    expect(statuses.filter((type) => type === 'reconnecting').length).toBeLessThanOrEqual(2);
  });

  it('alone is given longer: there is no other one to go to', () => expect(maxSilenceMs(1)).toBe(9000));
});

describe('a start', () => {
  it('with dead addresses logs where it connects before it tries, and waits for each only shortly', async () => {
    const attempts: { index: number; atMs: number; logged: string }[] = [];
    const note = (index: number) => () =>
      void attempts.push({ index, atMs: performance.now(), logged: lines.join('') });
    const dead = await Promise.all([0, 1, 2].map((index) => deadAddress(note(index))));
    const abort = new AbortController();
    const url = dead.map((one) => one.url).join(',');
    const connecting = connectAs('gateway', { url, signal: abort.signal }).catch(() => 'aborted');
    await eventually(() => attempts.length >= 3 && lines.filter((line) => line.includes('cannot connect')).length >= 2);
    abort.abort();
    expect(await connecting).toBe('aborted');
    // Otherwise each attempt would leave a socket open for as long as the address is dead.
    await eventually(async () =>
      expect(await Promise.all(dead.map(({ server }) => openSockets(server)))).toEqual([0, 0, 0]),
    );
    for (const { server } of dead) server.close();
    expect(attempts[0]!.logged).toContain('connecting to NATS at nats://127.0.0.1:');
    expect(new Set(attempts.slice(0, 3).map(({ index }) => index)).size).toBe(3);
    expect(connectTimeoutMs).toBeLessThanOrEqual(2000);
    // The default of the client is 20 s for each.
    expect(attempts[1]!.atMs - attempts[0]!.atMs).toBeLessThan(15_000);
  });

  it('while other servers are down finds them later', async () => {
    const late = await startTestCluster({ running: 1 });
    const connection = await connectAs('gateway', { url: late.url });
    const first = serverOf(connection, late.servers);
    expect(first).toBe(late.servers[0]);
    late.servers[1]!.start();
    await first.kill();
    await eventually(() => expect(serverOf(connection, late.servers)).toBe(late.servers[1]));
    await eventually(() => connection.flush());
    await late.stop();
  });
});

describe('the replicas of a service', () => {
  const replicas = (count: number) =>
    Array.from({ length: count }, (_, i) => ({ service: 'directory' as const, id: `replica${i}00` }));

  it.each([1, 2, 3])('that start together use different servers (round %i)', async () => {
    const connections = await Promise.all(replicas(3).map((replica) => connectAs('directory', { replica })));
    expect(new Set(connections.map((connection) => connection.getServer())).size).toBe(3);
  });

  it('that start one after the other use different servers, and log which', async () => {
    const used: string[] = [];
    for (const replica of replicas(3)) used.push((await connectAs('directory', { replica })).getServer());
    expect(new Set(used).size).toBe(3);
    for (const server of used) expect(lines.join('')).toContain(`connected to NATS at ${server}`);
  });
});

import { spawn, type ChildProcess } from 'node:child_process';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { jetstreamManager } from '@nats-io/jetstream';
import { connect, type NatsConnection } from '@nats-io/transport-node';
import { streams } from '@holdfast/contracts';
import { eventually, freePort, natsServerBinary, newTestFolder } from '@holdfast/testing';
import { declareStreams } from './declare.js';

describe('declareStreams in a cluster of three nats-servers', () => {
  const folder = newTestFolder('nats-cluster');
  const servers: ChildProcess[] = [];
  let ports: { client: number; cluster: number }[];
  let connection: NatsConnection;

  beforeAll(async () => {
    ports = [];
    for (let index = 0; index < 3; index++) ports.push({ client: await freePort(), cluster: await freePort() });
    start(0);
    start(1);
    connection = await eventually(() => connect({ servers: `nats://127.0.0.1:${ports[0]!.client}` }));
    const jsm = await jetstreamManager(connection, { checkAPI: false });
    // Two of three servers elect a leader.
    await eventually(() => jsm.getAccountInfo());
  });

  afterAll(async () => {
    await connection?.close();
    for (const server of servers) server.kill('SIGKILL');
  });

  it('waits for the third server when streams have three replicas, and then declares all', async () => {
    let declared: string[] | undefined;
    const declaring = declareStreams(connection, 3).then((names) => (declared = names));
    const jsm = await jetstreamManager(connection, { checkAPI: false });
    const first = Object.values(streams)[0]!.name;
    // The stream exists with one replica while it waits.
    const { config } = await eventually(() => jsm.streams.info(first));
    expect(config.num_replicas).toBe(1);
    expect(declared).toBeUndefined();

    start(2);
    await declaring;
    for (const { name, consumers } of Object.values(streams)) {
      // A stream elects a leader after its replicas have changed; nats-server does not respond about it meanwhile.
      const info = await eventually(() => jsm.streams.info(name));
      expect(info.config.num_replicas).toBe(3);
      expect(info.state.consumer_count).toBe(consumers.length);
    }
    expect(await eventually(() => declareStreams(connection, 3))).toEqual(declared);
  });

  function start(index: number): void {
    const storeDir = join(folder, String(index));
    mkdirSync(storeDir);
    const routes = ports.map(({ cluster }) => `nats://127.0.0.1:${cluster}`);
    const { client, cluster } = ports[index]!;
    const config = {
      server_name: `nats-${index}`,
      listen: `127.0.0.1:${client}`,
      jetstream: { store_dir: storeDir },
      cluster: { name: 'test', listen: `127.0.0.1:${cluster}`, no_advertise: true, routes },
    };
    writeFileSync(join(storeDir, 'nats.conf'), JSON.stringify(config));
    servers.push(spawn(natsServerBinary(), ['-c', join(storeDir, 'nats.conf')], { stdio: 'ignore' }));
  }
});

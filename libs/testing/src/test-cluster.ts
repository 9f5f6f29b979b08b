import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { closeSync, mkdirSync, openSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import type { BusUser } from '@holdfast/contracts';
import { natsConfig, type NatsConfigOptions } from '@holdfast/platform-policy';
import { natsServerBinary, newTestFolder } from './environment.js';
import { freePort } from './free-port.js';
import { nkeys, publicNkeys } from './test-bus.js';

/** As in the chart. */
const size = 3;

export interface TestServer {
  url: string;
  /** Does not wait until it is up. */
  start(): void;
  /** Sends SIGKILL. */
  kill(): Promise<void>;
  /** Pauses the process: connections stay open, new ones are accepted by the kernel, and nothing responds. */
  pause(paused: boolean): void;
  /** Lets it read its configuration again. */
  reload(): void;
}

export interface TestCluster {
  servers: TestServer[];
  /** All, comma separated. */
  url: string;
  /** Seed of a user's NKey. */
  seed(user: BusUser): string;
  /** Gives all servers the configuration with these readers, as `bus users` and a reload do. */
  reload(readers: Record<string, string>): void;
  stop(): Promise<void>;
}

/**
 * A cluster of nats-servers with JetStream and the permissions of production, as the chart configures it.
 *
 * @param running how many of them are started; the test starts the others
 */
export async function startTestCluster({
  running = size,
  ...users
}: { running?: number } & Pick<NatsConfigOptions, 'readers' | 'layout'> = {}): Promise<TestCluster> {
  const folder = newTestFolder('nats-cluster');
  const keys = nkeys();
  const ports: { client: number; cluster: number }[] = [];
  for (let i = 0; i < size; i += 1) ports.push({ client: await freePort(), cluster: await freePort() });
  const routes = ports.map(({ cluster }) => `nats://127.0.0.1:${cluster}`);
  const writers: ((readers: NatsConfigOptions['readers']) => void)[] = [];
  const host = '127.0.0.1';
  const servers = ports.map(({ client, cluster }, i) => {
    const storeDir = join(folder, String(i));
    mkdirSync(storeDir);
    const configFile = join(storeDir, 'nats.conf');
    const write = (readers: NatsConfigOptions['readers']): void => {
      const options = { ...users, readers, publicKeys: publicNkeys(keys), host, port: client, storeDir };
      const config = JSON.parse(natsConfig(options)) as object;
      const listen = `${host}:${cluster}`;
      const ofCluster = { name: 'test', listen, no_advertise: true, routes };
      writeFileSync(configFile, JSON.stringify({ ...config, server_name: `nats-${i}`, cluster: ofCluster }));
    };
    write(users.readers);
    writers.push(write);
    return server(`nats://${host}:${client}`, configFile, join(storeDir, 'nats.log'));
  });
  const started = servers.slice(0, running);
  for (const one of started) one.start();
  const killAll = () => servers.forEach((one) => void one.kill());
  // Jest ends its workers without ending their children.
  process.once('exit', killAll);
  // Fewer elect no leader.
  if (running > size / 2) await untilJoined(started);
  return {
    servers,
    url: servers.map(({ url }) => url).join(','),
    seed: (user) => keys[user].seed,
    reload: (readers) => {
      for (const write of writers) write(readers);
      for (const one of servers) one.reload();
    },
    stop: async () => {
      await Promise.all(servers.map((one) => one.kill()));
      process.off('exit', killAll);
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

/**
 * A server that does not know the leader by then never will: when all start at once, nats-server 2.10.27 can lose
 * the routes of one of them as duplicates, and the others then find too few peers for a stream.
 */
const joinTimeoutMs = 10_000;

/** Waits until all servers know the leader of JetStream, and starts those again that never will. */
async function untilJoined(servers: readonly LoggingServer[]): Promise<void> {
  let missing = servers;
  for (let deadline = Date.now() + joinTimeoutMs; ; await setTimeout(50)) {
    missing = missing.filter((one) => !/JetStream cluster (new )?metadata leader/.test(one.log()));
    if (missing.length === 0) return;
    if (Date.now() < deadline) continue;
    for (const one of missing) {
      await one.kill();
      one.start();
    }
    deadline = Date.now() + joinTimeoutMs;
  }
}

type LoggingServer = TestServer & { log: () => string };

function server(url: string, configFile: string, logFile: string): LoggingServer {
  let child: ChildProcess | undefined;
  return {
    url,
    start: () => {
      const log = openSync(logFile, 'a');
      child = spawn(natsServerBinary(), ['-c', configFile], { stdio: ['ignore', log, log] });
      closeSync(log);
    },
    kill: async () => {
      if (!child || child.exitCode !== null || child.signalCode !== null) return;
      const ended = once(child, 'exit');
      child.kill('SIGKILL');
      await ended;
    },
    pause: (paused) => void child?.kill(paused ? 'SIGSTOP' : 'SIGCONT'),
    reload: () => void child?.kill('SIGHUP'),
    log: () => readFileSync(logFile, 'utf8'),
  };
}

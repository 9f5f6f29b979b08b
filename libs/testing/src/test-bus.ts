import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { closeSync, existsSync, openSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { connect } from 'node:net';
import { join } from 'node:path';
import { createUser } from '@nats-io/nkeys';
import { natsUsers, type BusUser } from '@holdfast/contracts';
import { natsConfig, type NatsConfigOptions } from '@holdfast/platform-policy';
import { natsServerBinary, newTestFolder, runFolder } from './environment.js';
import { eventually } from './eventually.js';
import { freePort } from './free-port.js';

export interface TestBus {
  url: string;
  /** Folder of JetStream's files. */
  storeDir: string;
  /** Seed of a user's NKey. */
  seed(user: BusUser): string;
  stop(): Promise<void>;
  /** Sends SIGKILL. */
  kill(): Promise<void>;
  /** Restarts on the same port. `wipe` deletes JetStream's files. */
  restart(options?: { wipe?: boolean }): Promise<void>;
  /** Pauses the process: connections stay open, and it does not respond. */
  pause(paused: boolean): void;
}

/** Starts a nats-server with the permissions of production. The test declares its streams (declareStreams). */
export async function startTestBus({
  maxFileBytes,
  tls,
}: Pick<NatsConfigOptions, 'maxFileBytes' | 'tls'> = {}): Promise<TestBus> {
  const folder = newTestFolder('nats');
  const port = await freePort();
  const storeDir = join(folder, 'jetstream');
  const keys = nkeys();
  const configFile = join(folder, 'nats.conf');
  writeFileSync(
    configFile,
    natsConfig({
      publicKeys: publicNkeys(keys),
      host: '127.0.0.1',
      port,
      storeDir,
      ...(maxFileBytes !== undefined && { maxFileBytes }),
      ...(tls && { tls }),
    }),
  );

  let server = await startServer(folder, configFile, port);
  // Jest ends its workers without ending their children.
  const killServer = () => server.kill('SIGKILL');
  process.once('exit', killServer);
  const end = async (signal: 'SIGTERM' | 'SIGKILL') => {
    if (server.exitCode !== null || server.signalCode !== null) return;
    const ended = once(server, 'exit');
    server.kill(signal);
    server.kill('SIGCONT');
    await ended;
  };
  return {
    url: `nats://127.0.0.1:${port}`,
    storeDir,
    seed: (user) => keys[user].seed,
    stop: async () => {
      await end('SIGTERM');
      process.off('exit', killServer);
      rmSync(folder, { recursive: true, force: true });
    },
    kill: () => end('SIGKILL'),
    restart: async ({ wipe = false } = {}) => {
      await end('SIGTERM');
      if (wipe) rmSync(storeDir, { recursive: true, force: true });
      server = await startServer(folder, configFile, port);
    },
    pause: (paused) => void server.kill(paused ? 'SIGSTOP' : 'SIGCONT'),
  };
}

export type NKeys = Record<BusUser, { seed: string; publicKey: string }>;

/** The same for all servers of a run: to compute public keys in JavaScript takes longer than to start a server. */
export function nkeys(): NKeys {
  const file = join(runFolder(), 'nkeys.json');
  if (existsSync(file)) return JSON.parse(readFileSync(file, 'utf8')) as NKeys;
  const keys = Object.fromEntries(
    natsUsers.map((user) => {
      const key = createUser();
      return [user, { seed: new TextDecoder().decode(key.getSeed()), publicKey: key.getPublicKey() }];
    }),
  ) as NKeys;
  // Another worker may read the file at any time.
  const written = join(newTestFolder('nkeys'), 'nkeys.json');
  writeFileSync(written, JSON.stringify(keys));
  renameSync(written, file);
  return keys;
}

export function publicNkeys(keys: NKeys): Record<BusUser, string> {
  return Object.fromEntries(natsUsers.map((user) => [user, keys[user].publicKey])) as Record<BusUser, string>;
}

async function startServer(folder: string, configFile: string, port: number): Promise<ChildProcess> {
  const logFile = join(folder, 'nats.log');
  const log = openSync(logFile, 'a');
  const server = spawn(natsServerBinary(), ['-c', configFile], { cwd: folder, stdio: ['ignore', log, log] });
  closeSync(log);
  await eventually(async () => {
    if (server.exitCode !== null)
      throw new Error(`nats-server did not start: ${readFileSync(logFile, 'utf8').slice(-2000)}`);
    return hasJetStream(port);
  });
  return server;
}

/** A nats-server sends a line `INFO {…}` to every new connection, which says whether JetStream is up. */
function hasJetStream(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect({ host: '127.0.0.1', port });
    const finish = (up: boolean) => {
      socket.destroy();
      resolve(up);
    };
    socket.setTimeout(1000, () => finish(false));
    socket.on('error', () => finish(false));
    socket.once('data', (chunk) => finish(chunk.toString().includes('"jetstream":true')));
  });
}

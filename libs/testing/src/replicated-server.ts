import { execFile, execFileSync, spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { chownSync, cpSync, mkdtempSync, openSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import pg from 'pg';
import { testDatabaseUrl } from './environment.js';
import { eventually } from './eventually.js';
import { freePort } from './free-port.js';

/** A PostgreSQL of a test's own with a streaming standby. Both lose their data at the end. */
export interface ReplicatedServer {
  /** As the superuser. */
  primaryUrl: string;
  /** The address of a database of the primary on the standby. */
  standbyUrlOf(databaseUrl: string): string;
  /** The standby receives the write-ahead log and does not apply it. */
  pauseReplay(): Promise<void>;
  resumeReplay(): Promise<void>;
  /** The standby hangs: its connections stay open, and nothing responds. */
  hang(): void;
  wake(): void;
  stopStandby(): Promise<void>;
  startStandby(): Promise<void>;
  /** Makes the standby a primary, which no longer follows. */
  promote(): Promise<void>;
  stop(): Promise<void>;
}

const settings = {
  listen_addresses: '127.0.0.1',
  unix_socket_directories: '',
  fsync: 'off',
  full_page_writes: 'off',
  shared_buffers: '32MB',
  max_wal_senders: '4',
  hot_standby: 'on',
};

/** The programs of the tests' PostgreSQL, which its user can read. PostgreSQL does not run as root. */
async function programs(): Promise<{ bin: string; user: { uid: number; gid: number } | undefined }> {
  const bin = await sql<{ setting: string }>(testDatabaseUrl(), "SELECT setting FROM pg_config WHERE name = 'BINDIR'");
  const id = (flag: string) => Number(execFileSync('id', [flag, 'nobody'], { encoding: 'utf8' }));
  return { bin: bin[0]!.setting, user: process.getuid?.() === 0 ? { uid: id('-u'), gid: id('-g') } : undefined };
}

export async function startReplicatedServer(): Promise<ReplicatedServer> {
  const { bin, user } = await programs();
  const folder = mkdtempSync(join(tmpdir(), 'holdfast-standby-'));
  if (user) chownSync(folder, user.uid, user.gid);
  const [primaryData, standbyData] = [join(folder, 'primary'), join(folder, 'standby')];
  const [primaryPort, standbyPort] = [await freePort(), await freePort()];
  // Every role may connect from this machine, and only for the time of the test.
  const initdb = ['-D', primaryData, '-U', 'postgres', '-A', 'trust', '-E', 'UTF8', '--locale=C', '-N'];
  await promisify(execFile)(join(bin, 'initdb'), initdb, { ...user, cwd: folder });
  const urlAt = (port: number) => `postgresql://postgres@127.0.0.1:${port}/postgres`;
  const [primaryUrl, standbyUrl] = [urlAt(primaryPort), urlAt(standbyPort)];

  const start = async (data: string, port: number): Promise<ChildProcess> => {
    const log = openSync(`${data}.log`, 'a');
    const all = Object.entries({ ...settings, port: String(port) }).flatMap(([name, value]) => [
      '-c',
      `${name}=${value}`,
    ]);
    const server = spawn(join(bin, 'postgres'), ['-D', data, ...all], {
      ...user,
      cwd: folder,
      stdio: ['ignore', log, log],
    });
    await eventually(() => sql(urlAt(port), 'SELECT 1'));
    return server;
  };
  const end = async (server: ChildProcess): Promise<void> => {
    if (server.exitCode !== null || server.signalCode !== null) return;
    const ended = once(server, 'exit');
    server.kill('SIGCONT');
    server.kill('SIGINT');
    await ended;
  };

  // A copy of a server that was shut down needs no backup label.
  let primary = await start(primaryData, primaryPort);
  await end(primary);
  cpSync(primaryData, standbyData, { recursive: true });
  writeFileSync(join(standbyData, 'standby.signal'), '');
  writeFileSync(
    join(standbyData, 'postgresql.auto.conf'),
    `primary_conninfo = 'host=127.0.0.1 port=${primaryPort} user=postgres'\nwal_retrieve_retry_interval = '100ms'\n`,
  );
  if (user) execFileSync('chown', ['-R', `${user.uid}:${user.gid}`, standbyData]);
  execFileSync('chmod', ['700', standbyData]);
  primary = await start(primaryData, primaryPort);
  let standby = await start(standbyData, standbyPort);
  /** Of a server: its processes, since a signal to the first does not reach the others. */
  const signal = (name: 'STOP' | 'CONT') => {
    const listed = execFileSync('ps', ['-o', 'pid=', '--ppid', String(standby.pid)], { encoding: 'utf8' });
    for (const pid of [standby.pid!, ...listed.split('\n').map(Number).filter(Boolean)])
      process.kill(pid, `SIG${name}`);
  };
  return {
    primaryUrl,
    standbyUrlOf: (databaseUrl) => Object.assign(new URL(databaseUrl), { host: new URL(standbyUrl).host }).href,
    pauseReplay: async () => {
      await sql(standbyUrl, 'SELECT pg_wal_replay_pause()');
      await eventually(async () => {
        const [row] = await sql<{ state: string }>(standbyUrl, 'SELECT pg_get_wal_replay_pause_state() AS state');
        return row!.state === 'paused';
      });
    },
    resumeReplay: async () => void (await sql(standbyUrl, 'SELECT pg_wal_replay_resume()')),
    hang: () => signal('STOP'),
    wake: () => signal('CONT'),
    stopStandby: () => end(standby),
    startStandby: async () => {
      standby = await start(standbyData, standbyPort);
    },
    promote: async () => void (await sql(standbyUrl, 'SELECT pg_promote()')),
    stop: async () => {
      await end(standby);
      await end(primary);
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

async function sql<Row extends pg.QueryResultRow>(connectionString: string, text: string): Promise<Row[]> {
  const client = new pg.Client({ connectionString, connectionTimeoutMillis: 2000 });
  client.on('error', () => undefined);
  await client.connect();
  try {
    return (await client.query<Row>(text)).rows;
  } finally {
    await client.end();
  }
}

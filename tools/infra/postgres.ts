import { spawnSync } from 'node:child_process';
import { chownSync, existsSync, mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import pg from 'pg';
import { ReportedError } from './console.ts';
import { eventually } from './ports.ts';
import { preparePostgresHome, type PostgresHome } from './postgres-home.ts';
import type { Program } from './program.ts';

export interface PostgresOptions {
  /** Folder of the stack or test. */
  home: string;
  port: number;
  /** Of the superuser `postgres`. */
  password: string;
  logFile: string;
  /** False for tests only, whose data may be lost. */
  durable: boolean;
}

const settings = {
  listen_addresses: '127.0.0.1',
  unix_socket_directories: '',
  max_connections: '200',
  shared_buffers: '256MB',
  password_encryption: 'scram-sha-256',
  log_timezone: 'UTC',
  timezone: 'UTC',
  log_min_duration_statement: '1000',
  // Log lines outlive an erasure, so they contain no values of parameters or rows.
  log_parameter_max_length: '0',
  log_error_verbosity: 'terse',
};

/** Creates the data folder if there is none, and returns the program that runs the server. */
export async function postgresProgram(options: PostgresOptions): Promise<Program> {
  const home = preparePostgresHome(options.home);
  const data = join(home.folder, 'data');
  if (!existsSync(data)) initialize(home, data, options);
  else await stopPreviousServer(data);
  const durability = options.durable ? {} : { fsync: 'off', synchronous_commit: 'off', full_page_writes: 'off' };
  const all = { ...settings, ...durability, port: String(options.port) };
  return {
    name: 'postgres',
    command: join(home.bin, 'postgres'),
    args: ['-D', data, ...Object.entries(all).flatMap(([name, value]) => ['-c', `${name}=${value}`])],
    env: environment(),
    cwd: home.folder,
    ...(home.user ? { user: home.user } : {}),
    logFile: options.logFile,
    stopSignal: 'SIGINT', // Fast shutdown: ends the sessions and keeps every commit.
    stopTimeoutMs: 20_000,
    ready: () => acceptsConnections(postgresUrl(options, 'postgres')),
  };
}

export function postgresUrl({ port, password }: { port: number; password: string }, database: string): string {
  return `postgresql://postgres:${password}@127.0.0.1:${port}/${database}`;
}

/**
 * Creates the data folder under another name and renames it, so that a start that is killed leaves no incomplete one.
 */
function initialize(home: PostgresHome, data: string, { password }: PostgresOptions): void {
  const draft = `${data}.new`;
  const passwordFile = join(home.folder, 'password.new');
  rmSync(draft, { recursive: true, force: true });
  mkdirSync(draft, { mode: 0o700 });
  writeFileSync(passwordFile, password, { mode: 0o600 });
  if (home.user) for (const path of [draft, passwordFile]) chownSync(path, home.user.uid, home.user.gid);
  // PostgreSQL's builtin locale sorts the same on every system.
  const locale = ['--encoding=UTF8', '--locale=C', '--locale-provider=builtin', '--builtin-locale=C.UTF-8'];
  const args = ['-D', draft, '-U', 'postgres', '--auth=scram-sha-256', `--pwfile=${passwordFile}`, ...locale];
  const done = spawnSync(join(home.bin, 'initdb'), args, {
    cwd: home.folder,
    env: environment(),
    encoding: 'utf8',
    ...home.user,
  });
  rmSync(passwordFile);
  if (done.status !== 0)
    throw new ReportedError(
      `PostgreSQL could not create its data folder ${data}: ${done.error?.message ?? done.stderr.trim()}`,
    );
  renameSync(draft, data);
}

/**
 * Stops a PostgreSQL that outlived its launcher and the orphan reaper, and still uses the data folder. A stale
 * postmaster.pid stays: only PostgreSQL itself can tell whether backends of the old server still run.
 */
async function stopPreviousServer(data: string): Promise<void> {
  const pidFile = join(data, 'postmaster.pid');
  const pid = existsSync(pidFile) ? Number(readFileSync(pidFile, 'utf8').split('\n')[0]) : 0;
  if (!pid || !runsOn(pid, data)) return;
  process.kill(pid, 'SIGINT');
  if (!(await eventually(() => !runsOn(pid, data), 20_000))) process.kill(pid, 'SIGQUIT');
  await eventually(() => !runsOn(pid, data), 5000);
}

function runsOn(pid: number, data: string): boolean {
  const fromProc = `/proc/${pid}/cmdline`;
  if (existsSync('/proc/self/cmdline')) return existsSync(fromProc) && readFileSync(fromProc, 'utf8').includes(data);
  return spawnSync('ps', ['-o', 'command=', '-p', String(pid)], { encoding: 'utf8' }).stdout.includes(data);
}

/** Inherits nothing from the caller, whose PGDATA or PGPORT is meant for another server. */
function environment(): NodeJS.ProcessEnv {
  return { PATH: process.env.PATH, LC_ALL: 'C', TZ: 'UTC' };
}

async function acceptsConnections(connectionString: string): Promise<boolean> {
  const client = new pg.Client({ connectionString, connectionTimeoutMillis: 2000 });
  client.on('error', () => undefined);
  try {
    await client.connect();
    await client.query('SELECT 1');
    return true;
  } catch {
    return false;
  } finally {
    await client.end().catch(() => undefined);
  }
}

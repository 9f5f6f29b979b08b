import { execFile, execFileSync, spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import {
  appendFileSync,
  chownSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  openSync,
  readdirSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import { promisify } from 'node:util';
import pg from 'pg';
import { eventually } from './eventually.js';
import { freePort } from './free-port.js';

const run = promisify(execFile);
const needed = ['initdb', 'postgres', 'pg_dump', 'pg_restore', 'pg_basebackup', 'pg_receivewal', 'psql'];

/**
 * The folder of PostgreSQL's programs from Debian, Homebrew or the PATH; undefined when they are not installed. The
 * PostgreSQL from npm has none of those that make backups.
 */
export function backupPrograms(): string | undefined {
  const below = (folder: string, rest: string): string[] =>
    existsSync(folder)
      ? readdirSync(folder)
          .sort()
          .reverse()
          .map((name) => join(folder, name, rest))
      : [];
  const folders = [
    ...below('/usr/lib/postgresql', 'bin'),
    ...below('/opt/homebrew/opt', 'bin').filter((name) => name.includes('postgresql')),
    ...(process.env.PATH ?? '').split(delimiter),
  ];
  return folders.find((folder) => needed.every((name) => existsSync(join(folder, name))));
}

/**
 * A database host that a test may lose, and the folder of its backups on another one. Its commands run in a shell, as
 * an operator runs those of docs/runbook.md.
 */
export class DatabaseHost {
  readonly folder = mkdtempSync(join(tmpdir(), 'holdfast-database-'));
  /** `BACKUP_DIR` of the runbook. */
  backups = '';
  readonly #bin: string;
  /** The folder of the command `holdfast`. */
  readonly #commands = join(this.folder, 'bin');
  /** PostgreSQL does not run as root. */
  readonly #user: { uid: number; gid: number } | undefined;
  #port = 0;
  #server: ChildProcess | undefined;
  #receiver: ChildProcess | undefined;

  /** `commandLine`: the program of `holdfast`. */
  constructor(bin: string, commandLine: string) {
    this.#bin = bin;
    const id = (flag: string): number => Number(execFileSync('id', [flag, 'nobody']));
    this.#user = process.getuid?.() === 0 ? { uid: id('-u'), gid: id('-g') } : undefined;
    this.#own(this.folder);
    mkdirSync(this.#commands);
    const holdfast = `#!/bin/sh\nexec "${process.execPath}" "${commandLine}" "$@"\n`;
    writeFileSync(join(this.#commands, 'holdfast'), holdfast, { mode: 0o755 });
    this.newBackups('backup');
  }

  /** Backups go to a new folder from now on. */
  newBackups(name: string): void {
    this.backups = this.ownFolder(name);
    this.ownFolder(join(name, 'wal'));
    this.ownFolder(join(name, 'checkpoints'));
  }

  /** Creates a folder that belongs to the user of PostgreSQL. @returns its path */
  ownFolder(name: string): string {
    const path = join(this.folder, name);
    mkdirSync(path, { mode: 0o700 });
    this.#own(path);
    return path;
  }

  #own(path: string): void {
    if (this.#user) chownSync(path, this.#user.uid, this.#user.gid);
  }

  url(database: string): string {
    return `postgresql://postgres:backup@127.0.0.1:${this.#port}/${database}`;
  }

  /** Creates an empty server with these settings, starts it and creates databases. */
  async create(data: string, settings: string, ...databases: string[]): Promise<void> {
    const password = join(this.folder, 'password');
    writeFileSync(password, 'backup', { mode: 0o644 });
    const options = ['-U', 'postgres', '-A', 'scram-sha-256', '--pwfile', password, '-E', 'UTF8', '--locale=C'];
    await run(join(this.#bin, 'initdb'), ['-D', join(this.folder, data), ...options], {
      ...this.#user,
      cwd: this.folder,
    });
    this.configure(data, `listen_addresses = '127.0.0.1'\nunix_socket_directories = ''\n${settings}`);
    await this.start(data);
    for (const database of databases) await this.query('postgres', `CREATE DATABASE ${database}`);
  }

  /** Appends settings to postgresql.conf. */
  configure(data: string, settings: string): void {
    appendFileSync(join(this.folder, data, 'postgresql.conf'), `\n${settings}\n`);
  }

  /** Resolves when the server accepts changes: a recovery has ended. It has the same address after each start. */
  async start(data: string): Promise<void> {
    this.#port ||= await freePort();
    const path = join(this.folder, data);
    if (this.#user) await run('chown', ['-R', `${this.#user.uid}:${this.#user.gid}`, path]);
    const log = openSync(join(this.folder, 'postgres.log'), 'a');
    this.#server = spawn(join(this.#bin, 'postgres'), ['-D', path, '-c', `port=${this.#port}`], {
      ...this.#user,
      cwd: this.folder,
      stdio: ['ignore', log, log],
    });
    const recovered = eventually(async () => {
      const [row] = await this.query<{ recovering: boolean }>('postgres', 'SELECT pg_is_in_recovery() AS recovering');
      return row!.recovering === false;
    });
    const ended = new Promise<never>((_, reject) =>
      this.#server!.once('exit', () => reject(new Error('PostgreSQL did not start; see postgres.log'))),
    );
    await Promise.race([recovered, ended]);
  }

  async stop(): Promise<void> {
    if (!isRunning(this.#server)) return;
    const ended = once(this.#server, 'exit');
    this.#server.kill('SIGINT');
    await ended;
  }

  /** Kills every process of the server at once, and deletes its data. */
  async lose(data: string): Promise<void> {
    const server = this.#server!;
    const listed = execFileSync('ps', ['-e', '-o', 'pid=,ppid='], { encoding: 'utf8' });
    const children = listed
      .split('\n')
      .map((line) => line.trim().split(/\s+/).map(Number))
      .flatMap(([pid, parent]) => (pid && parent === server.pid ? [pid] : []));
    const ended = once(server, 'exit');
    server.kill('SIGKILL');
    for (const pid of children) killIfRunning(pid);
    await ended;
    rmSync(join(this.folder, data), { recursive: true });
  }

  /** Without values, one text may contain several statements. */
  async query<Row extends pg.QueryResultRow>(database: string, sql: string, values?: unknown[]): Promise<Row[]> {
    const client = new pg.Client({ connectionString: this.url(database) });
    client.on('error', () => undefined);
    await client.connect();
    try {
      return (await (values ? client.query<Row>(sql, values) : client.query<Row>(sql))).rows;
    } finally {
      await client.end();
    }
  }

  /** The newest backup of a kind, such as `dump`. */
  backupOf(kind: string): string {
    const names = readdirSync(this.backups).filter((name) => name.startsWith(`${kind}-`));
    return join(this.backups, names.sort().at(-1)!);
  }

  /** Runs commands of the runbook against a database. @returns what they print */
  async shell(text: string, database: string, variables: Record<string, string> = {}): Promise<string> {
    const { stdout, stderr } = await run('sh', ['-euc', text], { env: this.#environment(database, variables) });
    return stdout + stderr;
  }

  /** Starts the receiver of the write-ahead log, which runs until `stopReceiver`. */
  startReceiver(text: string, database: string): void {
    const log = openSync(join(this.folder, 'receiver.log'), 'a');
    this.#receiver = spawn('sh', ['-euc', text], {
      ...this.#user,
      cwd: this.folder,
      detached: true,
      env: this.#environment(database, {}),
      stdio: ['ignore', log, log],
    });
  }

  async stopReceiver(): Promise<void> {
    if (!isRunning(this.#receiver)) return;
    const ended = once(this.#receiver, 'exit');
    // The shell and its program.
    process.kill(-this.#receiver.pid!, 'SIGTERM');
    await ended;
  }

  async remove(): Promise<void> {
    await this.stopReceiver();
    await this.stop();
    rmSync(this.folder, { recursive: true, force: true });
  }

  #environment(database: string, variables: Record<string, string>): NodeJS.ProcessEnv {
    return {
      PATH: [this.#bin, this.#commands, process.env.PATH ?? ''].join(delimiter),
      DATABASE_URL: this.url(database),
      BACKUP_DIR: this.backups,
      ...variables,
    };
  }
}

function isRunning(process: ChildProcess | undefined): process is ChildProcess {
  return process !== undefined && process.exitCode === null && process.signalCode === null;
}

/** A backend that has seen the end of its connection or of the server may have ended since it was listed. */
function killIfRunning(pid: number): void {
  try {
    process.kill(pid, 'SIGKILL');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ESRCH') throw error;
  }
}

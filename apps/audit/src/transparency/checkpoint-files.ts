import { randomUUID } from 'node:crypto';
import { link, mkdir, open, readFile, rename, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { Inject, Injectable, Logger } from '@nestjs/common';
import { CLOCK, unavailable, type AppError, type Clock } from '@holdfast/platform';
import { CONFIG } from '@holdfast/service';
import type { AuditConfig } from '../config.js';

const logIntervalMs = 60_000;

/**
 * Checkpoints outside of the database, which an intruder of the database cannot change. One folder per organization:
 * `latest`, and the first of each day under its date. Replicas may share the folder or have one each.
 */
@Injectable()
export class CheckpointFiles {
  private readonly logger = new Logger('checkpoint files');
  private loggedAt = -Infinity;

  constructor(
    @Inject(CONFIG) private readonly config: Pick<AuditConfig, 'CHECKPOINT_DIR'>,
    @Inject(CLOCK) private readonly clock: Clock,
  ) {}

  folderOf(org: string): string {
    return join(this.config.CHECKPOINT_DIR, encodeURIComponent(org).replaceAll('.', '%2E'));
  }

  /**
   * Undefined when there is none.
   * @throws unavailable when it exists and cannot be read
   */
  async latest(org: string): Promise<string | undefined> {
    try {
      return await readFile(join(this.folderOf(org), 'latest'), 'utf8');
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
      throw this.failure(error);
    }
  }

  /**
   * Synced to disk when it resolves. Readers see the old or the new checkpoint, never a part of one.
   * @throws unavailable when it cannot be written
   */
  async store(org: string, note: string): Promise<void> {
    try {
      await this.write(org, note);
    } catch (error) {
      throw this.failure(error);
    }
  }

  private async write(org: string, note: string): Promise<void> {
    const folder = this.folderOf(org);
    const temporary = join(folder, `new-${randomUUID()}`);
    await mkdir(folder, { recursive: true });
    try {
      await synced(temporary, 'wx', (file) => file.writeFile(note));
      await link(temporary, join(folder, this.clock.now().toISOString().slice(0, 10))).catch(ignoreExisting);
      await rename(temporary, join(folder, 'latest'));
      await synced(folder, 'r', () => Promise.resolve());
    } catch (error) {
      await rm(temporary, { force: true });
      throw error;
    }
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

async function synced(
  path: string,
  flags: string,
  work: (file: Awaited<ReturnType<typeof open>>) => Promise<void>,
): Promise<void> {
  const file = await open(path, flags, 0o644);
  try {
    await work(file);
    await file.sync();
  } finally {
    await file.close();
  }
}

function ignoreExisting(error: NodeJS.ErrnoException): void {
  if (error.code !== 'EEXIST') throw error;
}

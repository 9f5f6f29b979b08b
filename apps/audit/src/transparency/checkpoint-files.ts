import { randomUUID } from 'node:crypto';
import { link, mkdir, open, readFile, rename, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { Inject, Injectable, Logger } from '@nestjs/common';
import { CLOCK, unavailable, type AppError, type Clock } from '@holdfast/platform';
import { CONFIG } from '@holdfast/service';
import type { AuditConfig } from '../config.js';

const sayAgainMs = 60_000;

/**
 * Checkpoints outside of the database: whoever can change that cannot change these. A folder per organization:
 * `latest`, and the first of each day by its date. Replicas may share the folder or have one each.
 */
@Injectable()
export class CheckpointFiles {
  private readonly logger = new Logger('checkpoint files');
  private saidAt = -Infinity;

  constructor(
    @Inject(CONFIG) private readonly config: Pick<AuditConfig, 'CHECKPOINT_DIR'>,
    @Inject(CLOCK) private readonly clock: Clock,
  ) {}

  folderOf(org: string): string {
    return join(this.config.CHECKPOINT_DIR, encodeURIComponent(org).replaceAll('.', '%2E'));
  }

  /**
   * The last one that was kept; undefined when there is none. @throws unavailable when it is there and cannot be read
   */
  async latest(org: string): Promise<string | undefined> {
    try {
      return await readFile(join(this.folderOf(org), 'latest'), 'utf8');
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
      throw this.away(error);
    }
  }

  /**
   * On disk when it resolves; whoever reads meanwhile sees the old one or the new one. @throws unavailable when the
   * disk does not take it
   */
  async keep(org: string, note: string): Promise<void> {
    try {
      await this.write(org, note);
    } catch (error) {
      throw this.away(error);
    }
  }

  private async write(org: string, note: string): Promise<void> {
    const folder = this.folderOf(org);
    const fresh = join(folder, `new-${randomUUID()}`);
    await mkdir(folder, { recursive: true });
    try {
      await synced(fresh, 'wx', (file) => file.writeFile(note));
      await link(fresh, join(folder, this.clock.now().toISOString().slice(0, 10))).catch(unlessThere);
      await rename(fresh, join(folder, 'latest'));
      await synced(folder, 'r', () => Promise.resolve());
    } catch (error) {
      await rm(fresh, { force: true });
      throw error;
    }
  }

  /**
   * A disk that is full or a folder without rights: over once somebody has looked, and so said aloud, but not with
   * every request.
   */
  private away(error: unknown): AppError {
    if (performance.now() - this.saidAt > sayAgainMs) {
      this.saidAt = performance.now();
      this.logger.error(
        `CHECKPOINT_DIR cannot be read or written, so nothing is signed and checkpoints and proofs are 503: ${String(error)}`,
      );
    }
    return unavailable('Checkpoints of the audit log cannot be kept right now, so none is given out.', 10);
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

function unlessThere(error: NodeJS.ErrnoException): void {
  if (error.code !== 'EEXIST') throw error;
}

import { Injectable, Logger } from '@nestjs/common';
import { MakerRights } from '@holdfast/access';
import type { Maker } from '@holdfast/contracts';
import { Database, statement } from '@holdfast/data';
import { Interval } from '@holdfast/service';
import { BrokenLogs } from '../transparency/broken-logs.js';
import { Checkpoints } from '../transparency/checkpoints.js';
import { chunkBytes } from './export-chunks.js';
import { ExportPages, type BegunExport } from './export-pages.js';
import { ExportWriter, LostExport, type ClaimedExport } from './export-writer.js';

/** For so long a replica writes one export. Then it is the turn of another one. */
const turnMs = 5000;
/** After so many failures in a row an export is given up. */
const maxFailures = 10;
const firstRetryMs = 1000;
/** How long an export waits while directory does not say what its requester may do. That is no fault of the export. */
const unknownRightsMs = 2000;

/**
 * Whether entries were dropped since the export began. Their bytes may be missing in the file, and the record of the
 * drop is not in it, so it would look as if they had been removed. Such a record first waits as a pending one.
 */
const wasDropped = statement(
  'export_dropped',
  `SELECT EXISTS (SELECT FROM entry WHERE org = $1 AND action = 'audit.drop' AND class = 'kept' AND seq > $2)
     OR EXISTS (SELECT FROM pending_record WHERE org = $1 AND record LIKE '{%"audit.drop"%') AS dropped`,
);

/** Writes the files of exports. Every replica does; each export is claimed by one of them at a time. */
@Injectable()
export class ExportWorker {
  private readonly logger = new Logger('exports');

  constructor(
    private readonly database: Database,
    private readonly writer: ExportWriter,
    private readonly pages: ExportPages,
    private readonly checkpoints: Checkpoints,
    private readonly brokenLogs: BrokenLogs,
    private readonly rights: MakerRights,
  ) {}

  @Interval({
    name: 'exports',
    intervalMs: 1000,
    due: "(SELECT min(leased_until) FROM export WHERE state IN ('queued', 'running')) < clock_timestamp()",
    failure: 'Failed to write an export. It is continued later',
  })
  async run(stopping: () => boolean): Promise<void> {
    while (!stopping()) {
      const job = await this.writer.claim();
      if (!job) return;
      const until = performance.now() + turnMs;
      await this.write(job, () => stopping() || performance.now() > until).catch((error: unknown) =>
        this.failed(job, error),
      );
    }
  }

  private async failed(job: ClaimedExport, error: unknown): Promise<void> {
    if (error instanceof LostExport) return;
    if (this.brokenLogs.find(job.org)) return this.writer.fail(job, 'broken_log');
    this.logger.warn(`Export ${job.id} of ${job.org} has failed, and is continued later: ${String(error)}`);
    if (job.failures + 1 >= maxFailures) return this.writer.fail(job, 'internal');
    await this.writer.release(job, firstRetryMs * 2 ** job.failures);
  }

  private async write(claimed: ClaimedExport, isOver: () => boolean): Promise<void> {
    if (!(await this.mayContinue(claimed))) return;
    let job = await this.begun(claimed);
    let text = job.bytes === 0 ? this.pages.header(begunOf(job)) : '';
    let [entries, { place }] = [0, job];
    const append = async (): Promise<boolean> => {
      const written = await this.writer.append(job, text, { entries, place });
      job = written.job;
      [text, entries] = ['', 0];
      if (written.isTooLarge) await this.writer.fail(job, 'too_large');
      return !written.isTooLarge;
    };
    while (place < job.size!) {
      if (!(await this.mayContinue(job))) return;
      const page = await this.pages.next({ ...begunOf(job), place });
      text += page.text;
      entries += page.entries;
      place = page.place;
      if ((text.length >= chunkBytes || isOver()) && !(await append())) return;
      if (isOver()) return this.writer.release(job);
    }
    if (job.proof && (await this.wasDropped(job))) return this.writer.restart(job);
    text += await this.pages.trailer({ ...begunOf(job), entries: job.entries + entries });
    if (await append()) await this.writer.finish(job);
  }

  /**
   * What was prepared ends with the right that prepared it (product §4): an export is written only while its requester
   * may export the log. False when it was failed or put off.
   */
  private async mayContinue(job: ClaimedExport): Promise<boolean> {
    const requester: Maker = {
      type: job.requesterType as Maker['type'],
      ...(job.requesterId !== null && { id: job.requesterId }),
    };
    const may = await this.rights.has(job.org, requester, 'audit:export').catch(() => undefined);
    if (may === false) await this.writer.fail(job, 'maker');
    if (may === undefined) await this.writer.release(job, unknownRightsMs);
    return may === true;
  }

  private async begun(job: ClaimedExport): Promise<ClaimedExport> {
    if (job.size !== null) return job;
    await this.writer.afterAppend(job);
    const { size, note } = await this.checkpoints.newest(job.org);
    return this.writer.begin(job, size, note);
  }

  private async wasDropped({ org, size }: ClaimedExport): Promise<boolean> {
    const [row] = await this.database.rows<{ dropped: boolean }>(wasDropped, [org, size]);
    return row!.dropped;
  }
}

function begunOf(job: ClaimedExport): BegunExport {
  return { ...job, size: job.size!, checkpoint: job.checkpoint! };
}

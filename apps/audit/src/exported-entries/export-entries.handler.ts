import { Controller } from '@nestjs/common';
import { exportAuditEntries, type ReplyOf, type RequestContext, type RequestOf } from '@holdfast/contracts';
import { Database, statement } from '@holdfast/data';
import { Handles } from '@holdfast/messaging';
import { OperatorRecords } from '../intake/operator-records.js';
import { EntryDecryption } from '../query/entry-decryption.js';
import { BrokenLogs } from '../transparency/broken-logs.js';
import { Checkpoints } from '../transparency/checkpoints.js';
import { exportedEntries } from './exported-entry.js';
import { LogPages } from './log-pages.js';

const selectLateMs = statement('export_late_ms', 'SELECT late_ms AS "lateMs" FROM head WHERE org = $1');
const selectLastSeq = statement('export_last_seq', 'SELECT seq FROM leaf WHERE org = $1 ORDER BY seq DESC LIMIT 1');

/** Exports the log as it is stored, for verification. */
@Controller()
export class ExportEntriesHandler {
  constructor(
    private readonly database: Database,
    private readonly pages: LogPages,
    private readonly decryption: EntryDecryption,
    private readonly checkpoints: Checkpoints,
    private readonly brokenLogs: BrokenLogs,
    private readonly operator: OperatorRecords,
  ) {}

  @Handles(exportAuditEntries)
  async handle(
    { after, limit }: RequestOf<typeof exportAuditEntries>,
    context: RequestContext,
  ): Promise<ReplyOf<typeof exportAuditEntries>> {
    const { org } = context;
    const { note, size } = await this.checkpoints.forExport(org, after);
    const broken = this.brokenLogs.find(org);
    const rows = await this.pages.read(org, after, size, limit);
    const [head] = await this.database.rows<{ lateMs: number }>(selectLateMs, [org]);
    const [last] = broken ? await this.database.rows<{ seq: number }>(selectLastSeq, [org]) : [];
    const entries = await exportedEntries(this.decryption, org, rows);
    await this.operator.record(context, 'audit.export');
    return {
      entries,
      checkpoint: note,
      hasMore: (entries.at(-1)?.seq ?? size) < size,
      ...(head && { lateMs: head.lateMs }),
      ...(broken && {
        broken: {
          detail: broken.reason,
          since: broken.since.toISOString(),
          unsigned: Math.max(0, (last?.seq ?? 0) - size),
        },
      }),
    };
  }
}

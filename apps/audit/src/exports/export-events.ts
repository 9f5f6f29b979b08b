import { Injectable } from '@nestjs/common';
import type { AuditServiceEvent, RequestContext } from '@holdfast/contracts';
import type { Sql } from '@holdfast/data';
import { insertOutboxRows, Outbox, type OutboxRow } from '@holdfast/outbox';
import { auditRecord, newId, type Audited } from '@holdfast/platform';
import type { ExportRow } from './export-row.js';

/** What happened to an export, and by whose request. */
interface ExportChange {
  type: AuditServiceEvent['type'];
  /** The row as it is after the change, which has incremented its version. */
  row: Pick<ExportRow, 'id' | 'org' | 'version'>;
  context: RequestContext;
  at: Date;
  /** Public data besides the id. */
  data?: Record<string, string>;
  /** The record of a request; jobs of this service have none. */
  audited?: Audited;
}

/** The events of exports. They commit with their change. */
@Injectable()
export class ExportEvents {
  constructor(private readonly outbox: Outbox) {}

  /** In the transaction of the change. The result is to be passed to `published` after the commit. */
  async insert(sql: Sql, changes: readonly ExportChange[]): Promise<OutboxRow[]> {
    const rows = changes.map(({ type, row, context, at, data, audited }) =>
      this.outbox.row({
        id: newId(),
        type,
        export: row.id,
        occurredAt: at.toISOString(),
        org: row.org,
        version: row.version,
        requestId: context.request.id,
        traceparent: context.request.traceparent,
        data: { export: row.id, ...data },
        ...(audited && { audit: auditRecord(context, at, audited) }),
      }),
    );
    if (rows.length > 0) await insertOutboxRows(sql, rows);
    return rows;
  }

  async published(rows: OutboxRow[]): Promise<void> {
    if (rows.length > 0) await this.outbox.published(rows);
  }
}

import type { AuditExport, AuditExportFormat, AuditExportState, NewAuditExport } from '@holdfast/contracts';

/** From, to and filter of an export, as the table has them in JSON. */
export type ExportChoice = Pick<NewAuditExport, 'from' | 'to' | 'filter'>;

/** A row of the table `export`, without its key and what only its worker needs. */
export interface ExportRow {
  id: string;
  org: string;
  state: AuditExportState;
  reason: AuditExport['reason'] | null;
  format: AuditExportFormat;
  proof: boolean;
  filter: string;
  requesterType: AuditExport['requestedBy']['type'];
  requesterId: string | null;
  createdAt: Date;
  finishedAt: Date | null;
  expiresAt: Date | null;
  size: number | null;
  checkpoint: string | null;
  place: number;
  entries: number;
  bytes: number;
  sha256: string | null;
  version: number;
  downloads: number;
  downloadedAt: Date | null;
}

export const exportColumns = `id, org, state, reason, format, proof, filter, requester_type AS "requesterType",
  requester_id AS "requesterId", created_at AS "createdAt", finished_at AS "finishedAt", expires_at AS "expiresAt",
  size, checkpoint, place, entries, bytes, sha256, version, downloads, downloaded_at AS "downloadedAt"`;

export function exportOf(row: ExportRow): AuditExport {
  const { reason, requesterId, finishedAt, expiresAt, size, checkpoint, sha256, downloadedAt } = row;
  return {
    id: row.id,
    state: row.state,
    ...(reason !== null && { reason }),
    format: row.format,
    ...(JSON.parse(row.filter) as ExportChoice),
    proof: row.proof,
    requestedBy: { type: row.requesterType, ...(requesterId !== null && { id: requesterId }) },
    createdAt: row.createdAt.toISOString(),
    ...(finishedAt && { finishedAt: finishedAt.toISOString() }),
    ...(expiresAt && row.state === 'ready' && { expiresAt: expiresAt.toISOString() }),
    ...(size !== null && { progress: { seq: row.place, size } }),
    entries: row.entries,
    bytes: row.bytes,
    ...(sha256 !== null && { sha256 }),
    ...(checkpoint !== null && { checkpoint }),
    downloads: row.downloads,
    ...(downloadedAt && { downloadedAt: downloadedAt.toISOString() }),
  };
}

import {
  allOrganizations,
  type AuditDestination,
  type AuditTarget,
  type DestinationFilter,
  type DestinationKindName,
  type RequestContext,
} from '@holdfast/contracts';
import { AppError } from '@holdfast/platform';
import { makerOfRow, type MakerColumns } from '../makers/maker-columns.js';

/** A row of audit_destination, with the sums over its deliveries. */
export interface DestinationRow extends MakerColumns {
  id: string;
  org: string;
  kind: DestinationKindName;
  format: AuditDestination['format'];
  description: string | null;
  settings: AuditDestination['settings'];
  credentials: Buffer | null;
  version: number;
  paused: boolean;
  /** Null while it is not paused, or paused by a request. */
  paused_because: 'maker' | null;
  filter: DestinationFilter | null;
  suspended: boolean;
  created_at: Date;
  failures: number;
  retry_at: Date | null;
  last_error: string | null;
  last_error_at: Date | null;
  last_success_at: Date | null;
  last_rejection: string | null;
  sent: number;
  rejected: number;
  after_seq: number | null;
  behind: number | null;
  behind_since: Date | null;
}

/** Its credentials are not among these columns: only a change and the sender read them. */
export const shownColumns = `d.id, d.org, d.kind, d.format, d.description, d.settings, d.version, d.paused, d.suspended,
  d.paused_because, d.maker_type, d.maker_id, d.maker_name, d.filter, d.created_at, d.failures, d.retry_at,
  d.last_error, d.last_error_at, d.last_success_at, d.last_rejection, d.sent, d.rejected, v.after_seq, v.behind,
  v.behind_since`;
/** The deliveries of a destination `d`: one, or that of each organization. */
export const deliverySums = `LEFT JOIN LATERAL (
  SELECT sum(greatest(end_seq - after_seq, 0))::bigint AS behind, min(behind_since) AS behind_since,
    CASE WHEN d.org <> '${allOrganizations}' THEN max(after_seq) END AS after_seq
  FROM audit_delivery WHERE destination = d.id) v ON true`;

export function toDestination(row: Omit<DestinationRow, 'credentials'>, now: Date): AuditDestination {
  const { id, kind, format, description, settings, after_seq: after } = row;
  const behind = row.behind ?? 0;
  const seconds = behind > 0 && row.behind_since ? (now.getTime() - row.behind_since.getTime()) / 1000 : 0;
  return {
    id,
    kind,
    ...(description !== null && { description }),
    format,
    ...(row.filter && { filter: row.filter }),
    ...(makerOfRow(row) && { maker: makerOfRow(row) }),
    settings,
    state: row.suspended ? 'suspended' : row.paused ? 'paused' : 'active',
    ...(row.paused && { pausedBecause: row.paused_because ?? ('request' as const) }),
    createdAt: row.created_at.toISOString(),
    ...(after !== null && { after }),
    lag: { entries: behind, seconds: Math.max(0, seconds) },
    sent: row.sent,
    rejected: row.rejected,
    ...(row.last_success_at && { lastSuccessAt: row.last_success_at.toISOString() }),
    ...(row.failures > 0 && { lastError: lastErrorOf(row) }),
    ...(row.last_rejection !== null && { lastRejection: row.last_rejection }),
  };
}

function lastErrorOf({ last_error: detail, last_error_at: at, failures: attempts, retry_at: retryAt }: ErrorColumns) {
  return {
    at: (at ?? new Date(0)).toISOString(),
    detail: detail ?? '',
    attempts,
    ...(retryAt && { retryAt: retryAt.toISOString() }),
  };
}
type ErrorColumns = Pick<DestinationRow, 'last_error' | 'last_error_at' | 'failures' | 'retry_at'>;

export const destinationTarget = (id: string): AuditTarget => ({ type: 'audit_destination', id });

export const unknownDestination = () => new AppError('unknown_destination');

/** The operator names no organization when it means the destinations of all of them. */
export function ownerOf({ org, actor }: Pick<RequestContext, 'org' | 'actor'>): string {
  if (org !== '') return org;
  if (actor.type !== 'operator') throw unknownDestination();
  return allOrganizations;
}

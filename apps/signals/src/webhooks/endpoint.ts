import type { AuditTarget, EventType, WebhookEndpoint } from '@holdfast/contracts';
import { AppError } from '@holdfast/platform';
import { makerOfRow, type MakerColumns } from '../makers/maker-columns.js';

export type Signature = WebhookEndpoint['signatures'][number];

/** A row of webhook_endpoint. */
export interface EndpointRow extends MakerColumns {
  id: string;
  org: string;
  url: string;
  description: string | null;
  /** Null for all. */
  types: EventType[] | null;
  header_names: string[];
  /** Encrypted. */
  headers: Buffer | null;
  secrets: Buffer;
  signatures: Signature[];
  rate_limit: number | null;
  version: number;
  paused: boolean;
  /** Null while it is not paused, or paused by a request. */
  paused_because: 'maker' | null;
  disabled_at: Date | null;
  disabled_because: 'gone' | 'failures' | null;
  held_after: number | null;
  created_at: Date;
  failures: number;
  failing_since: Date | null;
  retry_at: Date | null;
  last_error: string | null;
  last_error_at: Date | null;
  last_success_at: Date | null;
}

/** What a response shows: never secrets, nor the values of headers. */
export interface ShownRow extends Omit<EndpointRow, 'secrets' | 'headers'> {
  suspended: boolean;
  waiting: number;
}

export const maxWaiting = 10_000;

/** Of an endpoint `w`. What it has not got yet: deliveries, and events that have none yet. */
export const shownColumns = `w.id, w.org, w.url, w.description, w.types, w.header_names, w.signatures, w.rate_limit,
  w.version, w.paused, w.paused_because, w.disabled_at, w.disabled_because, w.held_after, w.maker_type, w.maker_id,
  w.maker_name, w.created_at, w.failures, w.failing_since, w.retry_at, w.last_error, w.last_error_at,
  w.last_success_at, coalesce(s.suspended, false) AS suspended,
  least(${maxWaiting}, (
    SELECT count(*) FROM (SELECT FROM webhook_delivery WHERE endpoint = w.id AND status = 'pending'
                          LIMIT ${maxWaiting}) d
  ) + (
    SELECT count(*) FROM (SELECT FROM event e WHERE e.org = w.org AND e.seq > w.held_after
                             AND (w.types IS NULL OR e.type = ANY (w.types)) LIMIT ${maxWaiting}) e
  ))::int AS waiting`;

export function toEndpoint(row: ShownRow): WebhookEndpoint {
  const { id, url, description, types, header_names: headers, signatures, rate_limit: rateLimit, version } = row;
  const maker = makerOfRow(row);
  return {
    id,
    url,
    ...(description !== null && { description }),
    ...(types && { types }),
    ...(headers.length > 0 && { headers }),
    ...(rateLimit !== null && { rateLimit }),
    signatures,
    ...(maker && { maker }),
    state: row.suspended ? 'suspended' : row.disabled_at ? 'disabled' : row.paused ? 'paused' : 'active',
    ...(row.paused && { pausedBecause: row.paused_because ?? ('request' as const) }),
    ...(row.disabled_at && {
      disabledBecause: row.disabled_because ?? ('failures' as const),
      disabledAt: row.disabled_at.toISOString(),
    }),
    createdAt: row.created_at.toISOString(),
    version,
    waiting: row.waiting,
    ...(row.last_success_at && { lastSuccessAt: row.last_success_at.toISOString() }),
    ...(row.failures > 0 && { lastError: lastErrorOf(row) }),
  };
}

function lastErrorOf({ last_error_at: at, last_error: detail, failures: attempts, failing_since: since }: ShownRow) {
  return {
    at: (at ?? new Date(0)).toISOString(),
    detail: detail ?? '',
    attempts,
    ...(since && { failingSince: since.toISOString() }),
  };
}

export const endpointTarget = (id: string): AuditTarget => ({ type: 'webhook_endpoint', id });

export const unknownEndpoint = () => new AppError('unknown_webhook_endpoint');

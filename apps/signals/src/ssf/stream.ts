import {
  deliveryMethods,
  eventUrisFor,
  minVerificationIntervalSeconds,
  securityEvents,
  type AuditTarget,
  type ManagedStream,
  type SecurityEventName,
  type SsfStream,
  type StreamAudience,
  type StreamStatus,
} from '@holdfast/contracts';
import { AppError } from '@holdfast/platform';
import { makerOfRow, type MakerColumns } from '../makers/maker-columns.js';

/** A stream that is polled is paused when nobody polls it for so many seconds. */
export const inactivityTimeoutSeconds = 30 * 86_400;

export type PausedBecause = NonNullable<ManagedStream['pausedBecause']>;

/** A row of ssf_stream. */
export interface StreamRow extends MakerColumns {
  id: string;
  org: string;
  /** Client ID. */
  receiver: string;
  audience: StreamAudience;
  description: string | null;
  /** URIs; null for all. */
  events_requested: string[] | null;
  method: 'push' | 'poll';
  endpoint_url: string | null;
  /** Encrypted. */
  authorization_header: Buffer | null;
  default_subjects: 'ALL' | 'NONE';
  paused: boolean;
  /** Neither sends nor keeps anything. */
  disabled: boolean;
  /** Null while it is enabled. */
  paused_because: PausedBecause | null;
  status_reason: string | null;
  version: number;
  created_at: Date;
  /** When the receiver was last active: a poll, or a request that names the stream. */
  active_at: Date;
  verified_at: Date | null;
  failures: number;
  failing_since: Date | null;
  retry_at: Date | null;
  last_error: string | null;
  last_error_at: Date | null;
  last_success_at: Date | null;
}

/** What an administrator sees besides. */
export interface ShownStream extends Omit<StreamRow, 'authorization_header'> {
  has_authorization: boolean;
  suspended: boolean;
  subjects: number;
  waiting: number;
  rejected: number;
}

const maxCounted = 10_000;
const counted = (status: string) => `(SELECT count(*) FROM (
  SELECT FROM ssf_event WHERE stream = w.id AND status = '${status}' LIMIT ${maxCounted}) e)::int`;

/** Of a stream `w`, with the suspension `s` of its organization. */
export const shownColumns = `w.id, w.org, w.receiver, w.audience, w.description, w.events_requested, w.method,
  w.endpoint_url, w.authorization_header IS NOT NULL AS has_authorization, w.default_subjects, w.paused, w.disabled,
  w.paused_because, w.status_reason, w.version, w.created_at, w.active_at, w.verified_at, w.failures, w.failing_since,
  w.retry_at, w.last_error, w.last_error_at, w.last_success_at, w.maker_type, w.maker_id, w.maker_name,
  coalesce(s.suspended, false) AS suspended, ${counted('pending')} AS waiting, ${counted('rejected')} AS rejected,
  (SELECT count(*) FROM ssf_subject x WHERE x.stream = w.id)::int AS subjects`;

export const streamTarget = (id: string): AuditTarget => ({ type: 'ssf_stream', id });
export const unknownStream = () => new AppError('unknown_stream');

/** What a stream carries: what its receiver asks for, of what it may get. */
function deliveredBy({ audience, events_requested: requested }: StreamRow): string[] {
  return eventUrisFor(audience).filter((uri) => requested?.includes(uri) ?? true);
}

/** As its receiver sees it (SSF 1.0 §8.1.1). */
export function toStream(row: StreamRow, baseUrl: string): SsfStream {
  const { id, org, receiver, audience, method, description, events_requested: requested } = row;
  return {
    stream_id: id,
    iss: issuerOf(org, baseUrl),
    aud: receiver,
    events_supported: eventUrisFor(audience),
    ...(requested && { events_requested: requested }),
    events_delivered: deliveredBy(row),
    delivery: { method: deliveryMethods[method], endpoint_url: row.endpoint_url ?? pollUrl(row, baseUrl) },
    ...(description !== null && { description }),
    min_verification_interval: minVerificationIntervalSeconds,
    ...(method === 'poll' && { inactivity_timeout: inactivityTimeoutSeconds }),
  };
}

export function toStatus({ id, paused, disabled, status_reason: reason }: StreamRow): StreamStatus {
  return {
    stream_id: id,
    status: disabled ? 'disabled' : paused ? 'paused' : 'enabled',
    ...(reason !== null && { reason }),
  };
}

export function toManagedStream(row: ShownStream): ManagedStream {
  const maker = makerOfRow(row);
  const requested = row.events_requested;
  const names = (Object.keys(securityEvents) as SecurityEventName[]).filter((name) =>
    requested?.includes(securityEvents[name].uri),
  );
  return {
    id: row.id,
    receiver: row.receiver,
    audience: row.audience,
    method: row.method,
    ...(row.endpoint_url !== null && { endpointUrl: row.endpoint_url }),
    hasAuthorization: row.has_authorization,
    ...(requested && { events: names }),
    ...(row.description !== null && { description: row.description }),
    defaultSubjects: row.default_subjects,
    subjects: row.subjects,
    state: row.suspended ? 'suspended' : row.disabled ? 'disabled' : row.paused ? 'paused' : 'enabled',
    ...(row.paused_because !== null && { pausedBecause: row.paused_because }),
    ...(row.status_reason !== null && { reason: row.status_reason }),
    ...(maker && { maker }),
    createdAt: row.created_at.toISOString(),
    version: row.version,
    waiting: row.waiting,
    rejected: row.rejected,
    ...(row.last_success_at && { lastSuccessAt: row.last_success_at.toISOString() }),
    ...(row.failures > 0 && {
      lastError: {
        at: (row.last_error_at ?? row.created_at).toISOString(),
        detail: row.last_error ?? '',
        attempts: row.failures,
      },
    }),
  };
}

/** The issuer of an organization. */
export function issuerOf(org: string, baseUrl: string): string {
  return `${baseUrl}/o/${org}`;
}

/** Where a receiver polls a stream: an address of its own for each (SSF 1.0 §6.1.2). */
function pollUrl({ id, org }: StreamRow, baseUrl: string): string {
  return `${issuerOf(org, baseUrl)}/ssf/streams/${id}/poll`;
}

import type { AuditTarget } from './audit/audit-record.js';
import type { ErrorCode } from './errors.js';

/** A validation issue: its location (exactly one of the three) and a description. */
export interface ValidationIssue {
  /** JSON Pointer as a fragment into the request body, such as `#/offerExpiresIn`. */
  pointer?: string;
  parameter?: string;
  header?: string;
  detail: string;
}

/** How a dependency failed. A closed list, since it is a metric label. */
export const errorCauses = [
  'not_running',
  'timeout',
  'bus',
  'unreachable',
  'overloaded',
  'expired',
  'stale',
  'unavailable',
  'misdirected',
  'internal',
] as const;

export type ErrorCause = (typeof errorCauses)[number];

/**
 * The origin of a 5xx, for access logs and metrics, never for the response. `dependency` is the path from the called
 * service to the failed dependency, such as `issuance/postgres`.
 */
export interface ErrorOrigin {
  dependency: string;
  cause: ErrorCause;
}

/** An error as it crosses NATS. Only the gateway renders it. */
export interface WireError {
  code: ErrorCode;
  detail?: string;
  /** Differs from the catalogue only for `invalid_request`, which is 400 or 422. */
  status?: number;
  errors?: ValidationIssue[];
  /** In seconds. */
  retryAfter?: number;
  /** Targets of the denied request, for its audit record, never for the response. */
  targets?: AuditTarget[];
  /** For logs and metrics, never for the response. */
  origin?: ErrorOrigin;
}

import {
  errorCatalogue,
  type AuditTarget,
  type ErrorCode,
  type ErrorOrigin,
  type ValidationIssue,
  type WireError,
} from '@holdfast/contracts';

/**
 * The error of every expected failure. It crosses NATS as a WireError, and the gateway renders it. Any other thrown
 * error becomes `internal`, with its details in the log only.
 */
export class AppError extends Error {
  readonly status: number;
  readonly errors?: ValidationIssue[];
  readonly retryAfter?: number;
  readonly targets?: AuditTarget[];
  readonly origin?: ErrorOrigin;

  constructor(
    readonly code: ErrorCode,
    readonly detail?: string,
    extra: Omit<WireError, 'code' | 'detail'> = {},
  ) {
    super(detail ?? errorCatalogue[code].title);
    this.name = 'AppError';
    this.status = extra.status ?? errorCatalogue[code].status;
    if (extra.errors) this.errors = extra.errors;
    if (extra.retryAfter !== undefined) this.retryAfter = extra.retryAfter;
    if (extra.targets) this.targets = extra.targets;
    if (extra.origin) this.origin = extra.origin;
  }

  static fromWire({ code, detail, ...extra }: WireError): AppError {
    return new AppError(code, detail, extra);
  }

  toWire(): WireError {
    const { code, detail, status, errors, retryAfter, targets, origin } = this;
    return {
      code,
      ...(detail && { detail }),
      status,
      ...(errors && { errors }),
      ...(retryAfter !== undefined && { retryAfter }),
      ...(targets && { targets }),
      ...(origin && { origin }),
    };
  }
}

/**
 * 503: the caller may retry after `retryAfter` seconds. `origin` says which dependency failed; only logs and metrics
 * show it.
 */
export function unavailable(detail: string, retryAfter = 1, origin?: ErrorOrigin): AppError {
  return new AppError('unavailable', detail, { retryAfter, ...(origin && { origin }) });
}

/** 422: the request parses and is not acceptable (product §3, order of checks). */
export function unprocessable(errors: ValidationIssue[]): AppError {
  return new AppError('invalid_request', undefined, { status: 422, errors });
}

/** Runs a check. If it denies the request, the audit record of the request names these targets. */
export async function withAuditTargets<T>(targets: AuditTarget[], check: () => Promise<T>): Promise<T> {
  try {
    return await check();
  } catch (error) {
    throw error instanceof AppError ? AppError.fromWire({ ...error.toWire(), targets }) : error;
  }
}

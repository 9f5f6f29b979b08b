import {
  errorCatalogue,
  type AuditTarget,
  type ErrorCode,
  type ErrorOrigin,
  type ValidationIssue,
  type WireError,
} from '@holdfast/contracts';

/**
 * The one error type: thrown anywhere, carried over NATS as a WireError, rendered by the gateway only.
 * Anything else that is thrown arrives as `internal`, with its details in the log only.
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
 * 503: the answer is not known right now; the caller may come back in `retryAfter` seconds. `origin` tells operators
 * what failed.
 */
export function unavailable(detail: string, retryAfter = 1, origin?: ErrorOrigin): AppError {
  return new AppError('unavailable', detail, { retryAfter, ...(origin && { origin }) });
}

/** 422: reads well, but is not acceptable (product §3, order of checks). */
export function unprocessable(errors: ValidationIssue[]): AppError {
  return new AppError('invalid_request', undefined, { status: 422, errors });
}

/** Runs a rule. The audit record of a request that it denies names these targets. */
export async function withAuditTargets<T>(targets: AuditTarget[], rule: () => Promise<T>): Promise<T> {
  try {
    return await rule();
  } catch (error) {
    throw error instanceof AppError ? AppError.fromWire({ ...error.toWire(), targets }) : error;
  }
}

import { errors } from 'oidc-provider';
import type { ErrorOrigin } from '@holdfast/contracts';
import { databaseUnavailableReason } from '@holdfast/data';
import { AppError, unavailable } from '@holdfast/platform';

/** 503 in the form of OAuth: a dependency is unavailable without which the request cannot be decided. */
export class TemporarilyUnavailable extends errors.OIDCProviderError {
  constructor(
    detail: string,
    /** For operators. */
    readonly origin?: ErrorOrigin,
  ) {
    super(503, 'temporarily_unavailable');
    this.error_description = 'try again in a moment';
    this.error_detail = detail;
    this.expose = true;
  }
}

/** Turns any error of a query to another service into a 503: without a reply no request passes. */
export function asUnavailable(error: unknown): TemporarilyUnavailable {
  return error instanceof AppError
    ? new TemporarilyUnavailable(error.detail ?? error.code, error.origin)
    : new TemporarilyUnavailable(String(error));
}

/** The reverse, for replies over the bus. @throws unavailable, or the error if it is another one */
export function asAppError(error: unknown): never {
  if (!(error instanceof TemporarilyUnavailable)) throw error;
  throw unavailable(error.error_detail ?? error.message, 1, error.origin);
}

/** Turns errors of an unreachable database into a 503 instead of a 500. @throws TemporarilyUnavailable */
export async function translateDatabaseErrors<T>(work: Promise<T>): Promise<T> {
  try {
    return await work;
  } catch (error) {
    const reason = databaseUnavailableReason(error);
    throw reason !== undefined
      ? new TemporarilyUnavailable(reason, { dependency: 'postgres', cause: 'unreachable' })
      : error;
  }
}

import { errors } from 'oidc-provider';
import type { ErrorOrigin } from '@holdfast/contracts';
import { databaseUnavailableReason } from '@holdfast/data';
import { AppError } from '@holdfast/platform';

/** 503 in OAuth's form: something that must be known cannot be asked right now. */
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

/** What another service could not say, whatever the reason: it is no pass. */
export function asUnavailable(error: unknown): TemporarilyUnavailable {
  return error instanceof AppError
    ? new TemporarilyUnavailable(error.detail ?? error.code, error.origin)
    : new TemporarilyUnavailable(String(error));
}

/** What was asked of the database; its absence is no fault of ours. @throws TemporarilyUnavailable */
export async function translateDatabaseErrors<T>(asked: Promise<T>): Promise<T> {
  try {
    return await asked;
  } catch (error) {
    const away = databaseUnavailableReason(error);
    throw away !== undefined
      ? new TemporarilyUnavailable(away, { dependency: 'postgres', cause: 'unreachable' })
      : error;
  }
}

import { isDatabaseAway } from '@holdfast/data';
import { errors } from 'oidc-provider';

/** 503 in OAuth's form: something that must be known cannot be asked right now. */
export class TemporarilyUnavailable extends errors.OIDCProviderError {
  constructor(detail: string) {
    super(503, 'temporarily_unavailable');
    this.error_description = 'try again in a moment';
    this.error_detail = detail;
    this.expose = true;
  }
}

/** What was asked of the database; its absence is no fault of ours. @throws TemporarilyUnavailable */
export async function ofDatabase<T>(asked: Promise<T>): Promise<T> {
  try {
    return await asked;
  } catch (error) {
    throw isDatabaseAway(error) ? new TemporarilyUnavailable('the database is away') : error;
  }
}

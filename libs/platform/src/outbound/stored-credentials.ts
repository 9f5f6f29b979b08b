import { unprocessable } from '../errors/app-error.js';

/**
 * Credentials that were stored for one receiver never go to another (product §4). Who may change an address could
 * otherwise read them there. One rule for everything that calls an address with stored credentials.
 *
 * @throws AppError invalid_request when the origin changes and the credentials are not given again
 */
export function requireCredentialsForOrigin(change: {
  before: string;
  after: string;
  hasStored: boolean;
  areGiven: boolean;
  /** The member of the request that has them. */
  member?: string;
}): void {
  const { before, after, hasStored, areGiven, member = 'credentials' } = change;
  if (before === after || !hasStored || areGiven) return;
  throw unprocessable([
    {
      pointer: `#/${member}`,
      detail: 'must be given again: the stored ones are for another host or port, and are not sent to this one',
    },
  ]);
}

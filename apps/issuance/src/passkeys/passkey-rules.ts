import type { CredentialType } from '@holdfast/contracts';
import { AppError } from '@holdfast/platform';
import { change, idsOf, type Change, type PendingEvent } from '../customer/change.js';
import { isExpired, isHeld, type Customer, type CustomerPasskey } from '../customer/customer.js';

/**
 * Whether the customer may add a passkey: with a live credential, up to the limit of its type. A passkey signs in with
 * every credential of a customer, so of several types the lowest limit counts.
 * @throws AppError invalid_state
 */
export function requireMayAdd(
  { credentials, passkeys }: Pick<Customer, 'credentials' | 'passkeys'>,
  types: readonly Pick<CredentialType, 'name' | 'maxPasskeys'>[],
  now: Date,
): void {
  if (!credentials.some((c) => c.status === 'issued' && !isExpired(c, now)))
    throw new AppError('invalid_state', 'Only a customer with a live credential can add a passkey.');
  const held = new Set(credentials.filter(isHeld).map(({ type }) => type));
  const limit = Math.min(...types.filter(({ name }) => held.has(name)).map(({ maxPasskeys }) => maxPasskeys));
  if (passkeys.length < limit) return;
  throw new AppError(
    'invalid_state',
    limit === 1
      ? 'Credentials of this type are held by one passkey. An offer without `adds` moves them to another one.'
      : `The credential is held by ${passkeys.length} passkeys, and may be held by ${limit}. Remove one first.`,
  );
}

/** Whether `requireMayAdd` allows it, for a page that shows it. */
export function mayAdd(...given: Parameters<typeof requireMayAdd>): boolean {
  try {
    requireMayAdd(...given);
    return true;
  } catch (error) {
    if (error instanceof AppError) return false;
    throw error;
  }
}

/** Everything but the passkey stays. The caller has checked `requireMayAdd` and stores the passkey. */
export function passkeyAdded(customer: Customer, passkey: CustomerPasskey): Change {
  const after = { ...customer, passkeys: [...customer.passkeys, passkey] };
  return change(customer, { passkeys: after.passkeys }, ...eventsOf('credential.passkey_added', after));
}

/**
 * The caller deletes the passkey. The last one stays, since nobody could sign in any more.
 * @throws AppError unknown_passkey, invalid_state
 */
export function passkeyRemoved(customer: Customer, id: string): Change {
  const left = customer.passkeys.filter((passkey) => passkey.id !== id);
  if (left.length === customer.passkeys.length) throw new AppError('unknown_passkey');
  if (left.length === 0)
    throw new AppError('invalid_state', 'This is the last passkey of the customer. Add another one first.');
  const events = eventsOf('credential.passkey_removed', { ...customer, passkeys: left });
  return change(customer, { passkeys: left }, ...events.map((event) => ({ ...event, removedPasskey: id })));
}

/** One event for each credential that the customer holds. */
function eventsOf(type: 'credential.passkey_added' | 'credential.passkey_removed', customer: Customer): PendingEvent[] {
  const { credentials, passkeys } = customer;
  return credentials
    .filter(isHeld)
    .map((credential) => ({ type, data: { ...idsOf(customer, credential), passkeys: passkeys.length } }));
}

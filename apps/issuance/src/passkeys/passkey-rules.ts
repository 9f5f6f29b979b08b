import type { CredentialType } from '@holdfast/contracts';
import { AppError } from '@holdfast/platform';
import { change, idsOf, type Change, type PendingEvent } from '../customer/change.js';
import { isExpired, isHeld, type Customer, type CustomerPasskey } from '../customer/customer.js';

type Owner = Pick<Customer, 'credentials' | 'passkeys'>;
type Limits = readonly Pick<CredentialType, 'name' | 'maxPasskeys'>[];

/**
 * Why the customer may not add a passkey; undefined when they may: with a live credential, up to the limit of its type.
 * A passkey signs in with every credential of a customer, so of several types the lowest limit counts. A type that is
 * not among `types` allows one passkey.
 */
export function whyMayNotAdd({ credentials, passkeys }: Owner, types: Limits, now: Date): string | undefined {
  if (!credentials.some((c) => c.status === 'issued' && !isExpired(c, now)))
    return 'Only a customer with a live credential can add a passkey.';
  const limits = credentials
    .filter(isHeld)
    .map(({ type }) => types.find(({ name }) => name === type)?.maxPasskeys ?? 1);
  const limit = Math.min(...limits);
  if (passkeys.length < limit) return undefined;
  return limit === 1
    ? 'Credentials of this type are held by one passkey. An offer without `adds` moves them to another one.'
    : `The credential is held by ${passkeys.length} passkeys, and may be held by ${limit}. Remove one first.`;
}

/** @throws AppError invalid_state */
export function requireMayAdd(...given: Parameters<typeof whyMayNotAdd>): void {
  const why = whyMayNotAdd(...given);
  if (why !== undefined) throw new AppError('invalid_state', why);
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

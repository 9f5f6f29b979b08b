import type { CustomerEvent, EventData } from '@holdfast/contracts';
import type { Customer, CustomerCredential } from './customer.js';

/** An event of a change, before it has an id and a version. */
export type PendingEvent = {
  [T in CustomerEvent['type']]: {
    type: T;
    data: EventData<T>;
    replacesPasskeys?: boolean;
    /** Id of the passkey that was removed. */
    removedPasskey?: string;
    /** When it happened, if that is earlier than its emission. */
    occurredAt?: Date;
  };
}[CustomerEvent['type']];

/** A customer as a rule has changed it, and the events of the change. */
export interface Change {
  customer: Customer;
  /** In the order in which they happened. The event of the request itself is the last one. */
  events: PendingEvent[];
}

/** Each event has a version of its own, so that a projection that stopped between two events applies the second. */
export function change(before: Customer, after: Partial<Customer>, ...events: PendingEvent[]): Change {
  return { customer: { ...before, ...after, version: before.version + events.length }, events };
}

/** Applies one rule after the other, as one change. */
export function compose(before: Customer, ...rules: ((customer: Customer) => Change)[]): Change {
  return rules.reduce<Change>((done, rule) => combine(done, rule(done.customer)), { customer: before, events: [] });
}

/** Combines two changes; `second` starts from the customer that `first` results in. */
export function combine(first: Change, second: Change): Change {
  return { customer: second.customer, events: [...first.events, ...second.events] };
}

/** The ids in the data of an event about a credential. */
export function idsOf({ id }: Customer, credential: Pick<CustomerCredential, 'id' | 'type'>) {
  return { subject: id, credentialId: credential.id, credentialType: credential.type };
}

/** The same, with the credential's expiration if it has one. */
export function idsAndExpirationOf(customer: Customer, credential: CustomerCredential) {
  return {
    ...idsOf(customer, credential),
    ...(credential.expiresAt && { expiresAt: credential.expiresAt.toISOString() }),
  };
}

import type { CustomerEvent, EventData } from '@holdfast/contracts';
import type { Customer, CustomerCredential } from './customer.js';

/** An event of a change, before it has an id and a version. */
export type PendingEvent = {
  [T in CustomerEvent['type']]: {
    type: T;
    data: EventData<T>;
    replacesPasskeys?: boolean;
    /** When it happened, if that was before it is emitted. */
    occurredAt?: Date;
  };
}[CustomerEvent['type']];

/** What a rule makes of a customer. */
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
  return rules.reduce<Change>((done, rule) => after(done, rule(done.customer)), { customer: before, events: [] });
}

/** Two changes as one: `second` was made of the customer that `first` left. */
export function after(first: Change, second: Change): Change {
  return { customer: second.customer, events: [...first.events, ...second.events] };
}

/** The ids in the data of an event about a credential. */
export function idsOf({ id }: Customer, credential: Pick<CustomerCredential, 'id' | 'type'>) {
  return { subject: id, credentialId: credential.id, credentialType: credential.type };
}

/** The same with the credential's expiration, if it has one. */
export function idsAndExpirationOf(customer: Customer, credential: CustomerCredential) {
  return {
    ...idsOf(customer, credential),
    ...(credential.expiresAt && { expiresAt: credential.expiresAt.toISOString() }),
  };
}

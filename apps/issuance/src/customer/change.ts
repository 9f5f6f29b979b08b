import type { CustomerEvent, EventData } from '@holdfast/contracts';
import type { Customer, CustomerCredential } from './customer.js';

/** What others are told of a change, before it is an event. */
export type PendingEvent = {
  [T in CustomerEvent['type']]: {
    type: T;
    data: EventData<T>;
    replacesPasskeys?: boolean;
    /** When it happened, if that was before it is told. */ occurredAt?: Date;
  };
}[CustomerEvent['type']];

/** What a rule makes of a customer. */
export interface Change {
  customer: Customer;
  /** In the order in which it happened; what was asked for comes last. */
  events: PendingEvent[];
}

/** Each event has a version of its own, so that a projection that stopped between two of them takes the second. */
export function change(before: Customer, after: Partial<Customer>, ...events: PendingEvent[]): Change {
  return { customer: { ...before, ...after, version: before.version + events.length }, events };
}

/** One rule after the other, as one change. */
export function compose(before: Customer, ...rules: ((customer: Customer) => Change)[]): Change {
  return rules.reduce<Change>(
    (done, rule) => {
      const { customer, events } = rule(done.customer);
      return { customer, events: [...done.events, ...events] };
    },
    { customer: before, events: [] },
  );
}

/** Which credential of whom. */
export function idsOf({ id }: Customer, credential: Pick<CustomerCredential, 'id' | 'type'>) {
  return { subject: id, credentialId: credential.id, credentialType: credential.type };
}

/** The same with its end, if it has one. */
export function endingOf(customer: Customer, credential: CustomerCredential) {
  return {
    ...idsOf(customer, credential),
    ...(credential.expiresAt && { expiresAt: credential.expiresAt.toISOString() }),
  };
}

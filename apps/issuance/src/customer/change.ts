import type { CustomerEvent, EventData } from '@holdfast/contracts';
import type { Customer, HeldCredential } from './customer.js';

/** What others are told of a change, before it is an event. */
export type Told = {
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
  told: Told[];
}

/** Each event has a version of its own, so that a projection that stopped between two of them takes the second. */
export function change(before: Customer, after: Partial<Customer>, ...told: Told[]): Change {
  return { customer: { ...before, ...after, version: before.version + told.length }, told };
}

/** One rule after the other, as one change. */
export function inTurn(before: Customer, ...rules: ((customer: Customer) => Change)[]): Change {
  return rules.reduce<Change>(
    (done, rule) => {
      const { customer, told } = rule(done.customer);
      return { customer, told: [...done.told, ...told] };
    },
    { customer: before, told: [] },
  );
}

/** Which credential of whom. */
export function idsOf({ id }: Customer, credential: Pick<HeldCredential, 'id' | 'type'>) {
  return { subject: id, credentialId: credential.id, credentialType: credential.type };
}

/** The same with its end, if it has one. */
export function endingOf(customer: Customer, credential: HeldCredential) {
  return {
    ...idsOf(customer, credential),
    ...(credential.expiresAt && { expiresAt: credential.expiresAt.toISOString() }),
  };
}

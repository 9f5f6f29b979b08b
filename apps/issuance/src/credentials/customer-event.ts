import type { CallContext, CustomerEvent } from '@holdfast/contracts';
import { auditRecord, newId, type Audited } from '@holdfast/kit';
import { publicState, type Customer } from './customer.js';

/** The event of a change: the customer's whole public state with its version, and the audit record of the request. */
export function customerEvent(type: CustomerEvent['type'], customer: Customer, context: CallContext, now: Date, audited: Audited): CustomerEvent {
  return {
    id: newId(),
    type,
    occurredAt: now.toISOString(),
    org: customer.org,
    subject: customer.id,
    version: customer.version,
    requestId: context.request.id,
    traceparent: context.request.traceparent,
    ...(type !== 'subject.erased' && { state: publicState(customer) }),
    audit: auditRecord(context, now, audited),
  };
}

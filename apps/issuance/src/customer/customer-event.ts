import type { Action, CustomerEvent, RequestContext } from '@holdfast/contracts';
import { auditRecord, newId, type Audited } from '@holdfast/platform';
import type { Change, PendingEvent } from './change.js';
import { publicState } from './customer.js';
import { auditTarget } from './locators.js';

/** Events that no request has caused: each has an audit record of its own, with the system as actor. */
const systemActions: Partial<Record<CustomerEvent['type'], Action>> = {
  'offer.expired': 'offer.expire',
  'credential.expired': 'credential.expire',
  'credential.renewed': 'credential.renew',
};

/**
 * The events of a change, each with the customer's whole public state and a version of its own. The last one is the
 * event of the request and carries its audit record.
 */
export function customerEvents(
  { customer, events }: Change,
  context: RequestContext,
  now: Date,
  audited?: Audited,
): CustomerEvent[] {
  const { id: subject, org, version } = customer;
  return events.map(({ type, data, replacesPasskeys, removedPasskey, occurredAt = now }, i) => {
    const endedWithRight = data && 'cause' in data && data.cause === 'maker';
    const action = endedWithRight ? 'offer.withdraw' : systemActions[type];
    const record =
      action && data
        ? systemRecord(data, action, context, now)
        : i === events.length - 1 && audited
          ? auditRecord(context, now, audited)
          : undefined;
    return {
      id: newId(),
      type,
      occurredAt: occurredAt.toISOString(),
      org,
      subject,
      version: version - events.length + 1 + i,
      requestId: context.request.id,
      traceparent: context.request.traceparent,
      ...(data && { data }),
      ...(type !== 'subject.erasure_started' && { state: publicState(customer) }),
      ...(replacesPasskeys && { replacesPasskeys }),
      ...(removedPasskey !== undefined && { removedPasskey }),
      ...(record && { audit: record }),
    };
  });
}

/** The record has a request id of its own, since a request has one record; the trace links it to the request. */
function systemRecord(data: NonNullable<PendingEvent['data']>, action: Action, { request }: RequestContext, now: Date) {
  const { subject } = data;
  return auditRecord(
    {
      org: '',
      actor: { type: 'system', id: 'issuance' },
      request: { id: newId(), traceparent: request.traceparent, method: '', route: '' },
      auditId: newId(),
    },
    now,
    {
      action,
      targets: [
        auditTarget('customer', subject, subject),
        ...('credentialId' in data ? [auditTarget('credential', data.credentialId, subject)] : []),
        ...('offerId' in data ? [auditTarget('offer', data.offerId, subject)] : []),
      ],
      outcome: { result: 'success' },
      ...('expiresAt' in data && data.expiresAt !== undefined && { changes: { expiresAt: { to: data.expiresAt } } }),
    },
  );
}

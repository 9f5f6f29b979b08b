import type { Action, CustomerEvent, RequestContext } from '@holdfast/contracts';
import { auditRecord, newId, type Audited } from '@holdfast/platform';
import type { Change, PendingEvent } from './change.js';
import { publicState } from './customer.js';

/** What nobody asked for: time or a rule of ours did it, and it has a record of its own, as the system. */
const systemActions: Partial<Record<CustomerEvent['type'], Action>> = {
  'offer.expired': 'offer.expire',
  'credential.expired': 'credential.expire',
  'credential.renewed': 'credential.renew',
};

/**
 * The events of a change, each with the customer's whole public state and a version of its own. The record of the
 * request commits with the last one, which tells of what was asked for.
 */
export function eventsOf(
  { customer, events }: Change,
  context: RequestContext,
  now: Date,
  audited?: Audited,
): CustomerEvent[] {
  const { id: subject, org, version } = customer;
  return events.map(({ type, data, replacesPasskeys, occurredAt = now }, i) => {
    const action = systemActions[type];
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
      ...(record && { audit: record }),
    };
  });
}

/** With a request id of its own, since a request has one record; the trace leads to the request. */
function systemRecord(data: NonNullable<PendingEvent['data']>, action: Action, { request }: RequestContext, now: Date) {
  const holder = data.subject;
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
        { type: 'customer', id: holder, dataSubject: holder },
        ...('credentialId' in data
          ? [{ type: 'credential' as const, id: data.credentialId, dataSubject: holder }]
          : []),
        ...('offerId' in data ? [{ type: 'offer' as const, id: data.offerId, dataSubject: holder }] : []),
      ],
      outcome: { result: 'success' },
      ...('expiresAt' in data && data.expiresAt !== undefined && { changes: { expiresAt: { to: data.expiresAt } } }),
    },
  );
}

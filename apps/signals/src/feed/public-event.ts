import type { z } from 'zod';
import {
  aggregateOf,
  eventTypes,
  isCustomerEvent,
  isErasureEvent,
  type Actor,
  type DomainEvent,
} from '@holdfast/contracts';
import { customerKey } from '@holdfast/platform';

/** Why an event happened: for Shared Signals, and never part of the public event. */
export interface EventCause {
  /** Id of the audit record of the change. */
  record?: string;
  actor?: Actor['type'];
  /** Of an event about a customer: how many of their credentials were live after it. */
  live?: number;
  /** The offer is for a credential that the customer holds already. */
  recovers?: boolean;
  /** The credential was revoked because it was compromised. */
  compromised?: boolean;
}

/** The members of a domain event that the feed uses. */
export interface PublicEvent {
  id: string;
  org: string;
  /** Hash of the id of its customer, person, group or app, in hex. It identifies nobody. */
  key: string;
  type: string;
  version: number;
  occurredAt: Date;
  /** Deletes everything about this customer or person except `data`. */
  erases: boolean;
  /**
   * Data of the public event. Absent in `subject.erasure_started`, and in events from before the feed existed: only
   * their versions count.
   */
  data?: unknown;
  /** Absent in events of versions before it was stored. */
  cause?: EventCause;
  /** When it arrived first. */
  receivedAt: Date;
}

/** Created once, since zod compiles each schema at its first use. */
const schemas = new Map(
  Object.entries(eventTypes).flatMap(([type, { data }]) =>
    data ? [[type, (data as z.ZodObject).strip()] as const] : [],
  ),
);

/**
 * Reduces a domain event to the public event; empty for an internal event. Members that the schema of the type does not
 * name are removed: additions of a newer producer become public when this service knows them.
 * @throws when the data does not match its schema: the consumer tries again some times, and then quarantines the event
 */
export function publicEventsOf(event: DomainEvent, now: Date): PublicEvent[] {
  const { id, org, type, version, occurredAt } = event;
  const schema = schemas.get(type);
  const aggregate = aggregateOf(event);
  const erases = isErasureEvent(event);
  if ((!schema && !erases) || typeof aggregate !== 'string') return [];
  const reduced = {
    id,
    org,
    type,
    version,
    erases,
    occurredAt: new Date(occurredAt),
    key: customerKey(org, aggregate).toString('hex'),
    cause: causeOf(event),
    receivedAt: now,
  };
  return [event.data === undefined || !schema ? reduced : { ...reduced, data: schema.parse(event.data) }];
}

function causeOf(event: DomainEvent): EventCause {
  const { audit, occurredAt } = event;
  const state = isCustomerEvent(event) ? event.state : undefined;
  const { credentialId, adds } = (event.data ?? {}) as { credentialId?: string; adds?: true };
  const credential = state?.credentials.find(({ id }) => id === credentialId);
  return {
    ...(audit && { record: audit.id, actor: audit.actor.type }),
    ...(event.type === 'offer.created' && !adds && credential?.issuedAt !== undefined && { recovers: true }),
    ...(event.type === 'credential.revoked' && credential?.revokedReason === 'compromised' && { compromised: true }),
    ...(state && {
      live: state.credentials.filter(
        ({ status, expiresAt }) => status === 'issued' && (expiresAt === undefined || expiresAt > occurredAt),
      ).length,
    }),
  };
}

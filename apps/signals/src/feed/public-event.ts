import type { z } from 'zod';
import { eventTypes, isCustomerEvent, isErasureEvent, type DomainEvent } from '@holdfast/contracts';
import { customerKey } from '@holdfast/platform';

/** The members of a domain event that the feed uses. */
export interface PublicEvent {
  id: string;
  org: string;
  /** Hash of whom it is about, in hex: names nobody. */
  key: string;
  type: string;
  version: number;
  occurredAt: Date;
  /** Deletes everything about this customer except `data`. */
  erases: boolean;
  /**
   * The public event; absent in `subject.erasure_started`, and in events from before there was a feed: these only
   * count.
   */
  data?: unknown;
  /** When it came to the feed first. */
  since: Date;
}

/** Made once: zod compiles each schema when it is first used. */
const schemas = new Map(
  Object.entries(eventTypes).flatMap(([type, { data }]) =>
    data ? [[type, (data as z.ZodObject).strip()] as const] : [],
  ),
);

/**
 * Reduces a domain event to the public event; empty for an internal event. Members that the schema of the type does not
 * name are removed: additions of a newer producer become public when this service knows them.
 * @throws when the data does not fit its schema: the consumer tries again some times, and then has it quarantined.
 */
export function publicEventsOf(event: DomainEvent, now: Date): PublicEvent[] {
  const { id, org, type, version, occurredAt } = event;
  const schema = schemas.get(type);
  const about = isCustomerEvent(event) ? event.subject : 'app' in event ? event.app : undefined;
  const erases = isErasureEvent(event);
  if ((!schema && !erases) || typeof about !== 'string') return [];
  const reduced = {
    id,
    org,
    type,
    version,
    erases,
    occurredAt: new Date(occurredAt),
    key: customerKey(org, about).toString('hex'),
    since: now,
  };
  return [event.data === undefined || !schema ? reduced : { ...reduced, data: schema.parse(event.data) }];
}

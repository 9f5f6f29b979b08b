import type { z } from 'zod';
import { eventTypes, isCustomerEvent, tellsErasure, type DomainEvent } from '@holdfast/contracts';
import { customerKey } from '@holdfast/platform';

/** The members of a domain event that the feed uses. */
export interface Told {
  id: string;
  org: string;
  /** Hash of whom it is about, in hex: names nobody. */
  key: string;
  type: string;
  version: number;
  occurredAt: Date;
  /** Nothing about this customer is kept any more, but for what is told with it. */
  erases: boolean;
  /**
   * What organizations are told; absent in word of an erasure, and in events from before there was a feed: these only
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
 * What the feed makes of an event; nothing of one that stays in the house. What the schema of the type does not name is
 * cut off: a newer producer's additions leave the house when this service knows them.
 * @throws when the data does not fit its schema: the consumer tries again some times, and then has it quarantined.
 */
export function toldBy(event: DomainEvent, now: Date): Told[] {
  const { id, org, type, version, occurredAt } = event;
  const schema = schemas.get(type);
  const about = isCustomerEvent(event) ? event.subject : 'app' in event ? event.app : undefined;
  const erases = tellsErasure(event);
  if ((!schema && !erases) || typeof about !== 'string') return [];
  const told = {
    id,
    org,
    type,
    version,
    erases,
    occurredAt: new Date(occurredAt),
    key: customerKey(org, about).toString('hex'),
    since: now,
  };
  return [event.data === undefined || !schema ? told : { ...told, data: schema.parse(event.data) }];
}

import { z } from 'zod';
import { query } from '../contract.js';
import { eventTypes, type EventType } from '../events/event-types.js';
import { instant, pageLimit } from '../fields.js';

/** Public event types, in the order of the catalogue. */
export const publicEventTypes = (Object.keys(eventTypes) as EventType[]).filter(
  (type) => eventTypes[type].data !== undefined,
) as [EventType, ...EventType[]];

/** A public event: ids and states only (product §8). */
export const publicEventSchema = z.strictObject({
  id: z.uuid().describe('The event; the same id again is the same event'),
  type: z.enum(publicEventTypes).describe('What happened; the list may grow'),
  occurredAt: instant.describe('When it happened'),
  version: z
    .int()
    .describe('Version of the customer, app or organization: counts its changes, so that consumers can order them'),
  data: z.record(z.string(), z.json()).describe('Ids and states, by the schema of the type (docs/reference/events.md)'),
});
export type PublicEvent = z.infer<typeof publicEventSchema>;

/** Events after a position, oldest first. Events of one customer are in the order in which they happened. */
export const listEvents = query({
  service: 'signals',
  name: 'list-events',
  callers: ['gateway'],
  request: z.strictObject({
    after: z.int().optional().describe('Continue after this position'),
    types: z.array(z.enum(publicEventTypes)).optional(),
    limit: pageLimit,
  }),
  reply: z.strictObject({
    items: z.array(publicEventSchema),
    next: z.int().describe('Position of the last event read: continue from here, now or later'),
    hasMore: z.boolean(),
  }),
  errors: ['page_token_expired'],
});

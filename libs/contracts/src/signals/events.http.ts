import { z } from 'zod';
import { eventTypes } from '../events/event-types.js';
import { http } from '../http/forwarded.js';
import { listEvents, publicEventSchema, publicEventTypes, type PublicEvent } from './signals.js';

/** Each type has its own payload schema, so that generated clients can discriminate by `type`. */
const eventSchema = z
  .discriminatedUnion(
    'type',
    publicEventTypes.map((type) => {
      const { description, data } = eventTypes[type];
      return publicEventSchema
        .extend({ type: z.literal(type).describe(description), data: data!.describe('Ids and states') })
        .meta({ id: eventName(type), description });
    }) as unknown as [typeof publicEventSchema],
  )
  .meta({ id: 'Event' });

/** `offer.created` → `OfferCreatedEvent`. */
function eventName(type: string): string {
  return `${type
    .split(/[._]/)
    .map((word) => word.charAt(0).toUpperCase() + word.slice(1))
    .join('')}Event`;
}

const example: PublicEvent = {
  id: '019aa5f2-7c1f-7c54-92e6-4f1b0a9c8d04',
  type: 'credential.issued',
  occurredAt: '2026-11-21T09:41:12.345Z',
  version: 2,
  data: {
    subject: '5b0c9f0e-3f0a-4c39-9a35-6d3c1f5d7a10',
    credentialId: '019aa5f2-7c1e-7d20-8f11-5e2b9c4d6a01',
    credentialType: 'customer',
    expiresAt: '2027-11-21T09:41:12.345Z',
  },
};

export const typesParameter = z
  .string()
  .transform((text) => text.split(','))
  .pipe(z.array(z.enum(publicEventTypes, 'must be event types of docs/events.md, separated by commas')))
  .transform((types) => [...new Set(types)].sort())
  .optional()
  .describe('Only events of these types, separated by commas')
  .meta({ parameter: { type: 'string', examples: ['credential.suspended,credential.revoked'] } });

export const eventEndpoints = [
  http(listEvents, {
    id: 'listEvents',
    method: 'GET',
    path: '/o/{shortId}/api/admin/events',
    tag: 'Admin API: events',
    summary: 'List events',
    description:
      "The organization's events, oldest first, kept for 30 days at least. `nextPageToken` is always present: store " +
      'it, and pass it later to continue from there. An event appears soon after the response to its change. Events ' +
      'of one customer or app come in the order of their `version`. Deduplicate by `id` when you read a page again ' +
      'after a failure of your own. The events of an erased customer are deleted; `subject.erased` confirms that ' +
      'every service has erased the customer.',
    operation: 'webhooks:manage',
    action: 'event.list',
    query: { types: typesParameter },
    response: 'Events after those of the page token, or from the oldest stored one',
    schema: z
      .strictObject({
        items: z.array(eventSchema).describe('Oldest first'),
        hasMore: z.boolean().describe('Whether further events are available now'),
        nextPageToken: z.string().describe('Where to continue: at once when `hasMore` is true, otherwise later'),
      })
      .meta({ id: 'EventPage' }),
    example,
    targets: () => [],
  }),
];

import { Controller, Req } from '@nestjs/common';
import type { FastifyRequest } from 'fastify';
import { z } from 'zod';
import {
  eventTypes,
  listEvents,
  publicEventSchema,
  publicEventTypes,
  shortId,
  type PublicEvent,
} from '@holdfast/contracts';
import { Bus } from '@holdfast/messaging';
import { endpoint, Route, type InputOf } from '../../endpoints/endpoint.js';
import { Input } from '../../requests/input.js';
import { limitParameter, pageExample, pageTokenParameter } from '../../requests/paging.js';
import { Resources } from '../../requests/resources.js';

/** Each type with its own payload, so that a generated client can tell them apart. */
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

const eventExample: PublicEvent = {
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

const typesParameter = z
  .string()
  .transform((text) => text.split(','))
  .pipe(z.array(z.enum(publicEventTypes, 'must be types of docs/events, separated by commas')))
  .transform((types) => [...new Set(types)].sort())
  .optional()
  .describe('Only events of these types, separated by commas')
  .meta({ parameter: { type: 'string', examples: ['credential.suspended,credential.revoked'] } });

export const listEventsEndpoint = endpoint({
  id: 'listEvents',
  method: 'GET',
  path: '/o/{shortId}/api/admin/events',
  tag: 'Admin API: events',
  summary: 'List what has happened',
  description:
    'What has happened in the organization, oldest first, for 30 days at least. `nextPageToken` is always present: ' +
    'keep it, and pass it later to go on from where you were. An event appears soon after its change was answered. ' +
    'Events of one customer or app come in the order of their `version`; use `id` to recognize a repeat after a ' +
    'failure of your own. The events of an erased customer are gone; `subject.erased` says that every service has ' +
    'confirmed the erasure.',
  operation: 'webhooks:manage',
  action: 'event.list',
  params: z.strictObject({ shortId }),
  query: z.strictObject({ types: typesParameter, limit: limitParameter, next_page_token: pageTokenParameter }),
  responses: {
    200: {
      description: 'Events after those of the page token, or from the oldest that is kept',
      schema: z
        .strictObject({
          items: z.array(eventSchema).describe('Oldest first'),
          hasMore: z.boolean().describe('Whether more is there already'),
          nextPageToken: z.string().describe('Where to go on, at once when `hasMore` is true, otherwise later'),
        })
        .meta({ id: 'EventPage' }),
    },
  },
  errors: ['invalid_page_token', 'page_token_expired'],
  examples: { response: pageExample(eventExample) },
});

@Controller()
export class EventsController {
  constructor(
    private readonly bus: Bus,
    private readonly resources: Resources,
  ) {}

  @Route(listEventsEndpoint)
  list(@Input() { query }: InputOf<typeof listEventsEndpoint>, @Req() request: FastifyRequest): Promise<unknown> {
    const { types } = query;
    return this.resources.list(request, query, z.int(), ({ limit, cursor: after }, context) =>
      this.bus.request(listEvents, { limit, ...(types && { types }), ...(after !== undefined && { after }) }, context),
    );
  }
}

import { Controller, Inject, Req } from '@nestjs/common';
import type { FastifyRequest } from 'fastify';
import { z } from 'zod';
import { eventTypes, listEvents, publicEventSchema, publicEventTypes, shortId } from '@holdfast/contracts';
import { Bus } from '@holdfast/messaging';
import { CONFIG } from '@holdfast/service';
import type { GatewayConfig } from '../../config.js';
import { openPageToken, sealPageToken } from '../../edge/page-token.js';
import { limitParameter, pageTokenParameter } from '../../edge/paging.js';
import { contextOf } from '../../edge/request-context.js';
import { endpoint, Route, type InputOf } from '../../endpoints/endpoint.js';
import { Input } from '../../endpoints/input.js';

/** Each type with its own payload, so that a generated client can tell them apart. */
const eventSchema = z
  .discriminatedUnion(
    'type',
    publicEventTypes.map((type) => {
      const { says, data } = eventTypes[type];
      return publicEventSchema
        .extend({ type: z.literal(type).describe(says), data: data!.describe('Ids and states') })
        .meta({ id: eventName(type), description: says });
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
    'What has happened in the organization, oldest first, for 30 days at least. `nextPageToken` is always there: keep it, and pass it later to go on from where you were. ' +
    'An event shows soon after its change was answered. Events of one customer or app come in the order of their `version`; use `id` to tell a repeat after a failure of your own. ' +
    'The events of an erased customer are gone. `subject.erased` is the receipt: every service has confirmed that it has forgotten them.',
  operation: 'webhooks:manage',
  action: 'event.list',
  params: z.strictObject({ shortId }),
  query: z.strictObject({ types: typesParameter, limit: limitParameter, next_page_token: pageTokenParameter }),
  answers: {
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
});

@Controller()
export class EventsController {
  constructor(
    private readonly bus: Bus,
    @Inject(CONFIG) private readonly config: GatewayConfig,
  ) {}

  @Route(listEventsEndpoint)
  async list(@Input() { query }: InputOf<typeof listEventsEndpoint>, @Req() request: FastifyRequest): Promise<unknown> {
    const context = contextOf(request);
    const { limit, next_page_token: token, types } = query;
    const scope = { org: context.org, app: context.actor.id, route: context.request.route, filter: { types } };
    const after = token === undefined ? undefined : openPageToken(this.config.PAGE_TOKEN_KEY, token, scope, z.int());
    const { items, next, hasMore } = await this.bus.request(
      listEvents,
      { limit, ...(types && { types }), ...(after !== undefined && { after }) },
      context,
    );
    return { items, hasMore, nextPageToken: sealPageToken(this.config.PAGE_TOKEN_KEY, next, scope) };
  }
}

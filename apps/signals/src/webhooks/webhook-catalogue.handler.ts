import { Controller } from '@nestjs/common';
import { z } from 'zod';
import {
  eventTypes,
  listWebhookEventTypes,
  listWebhookKeys,
  publicEventTypes,
  sampleMessageOf,
  type ReplyOf,
  type RequestContext,
  type RequestOf,
} from '@holdfast/contracts';
import { Database } from '@holdfast/data';
import { Handles } from '@holdfast/messaging';
import { WebhookSender } from './delivery/webhook-sender.js';
import { OperatorRequests } from './operator-requests.js';
import { WebhookKeys } from './webhook-keys.js';

type Item = ReplyOf<typeof listWebhookEventTypes>['items'][number];

/** What receivers need to know: types of events, and public keys. */
@Controller()
export class WebhookCatalogueHandler {
  constructor(
    private readonly operator: OperatorRequests,
    private readonly database: Database,
    private readonly keys: WebhookKeys,
    private readonly sender: WebhookSender,
  ) {}

  @Handles(listWebhookEventTypes)
  async types(
    _: RequestOf<typeof listWebhookEventTypes>,
    context: RequestContext,
  ): Promise<ReplyOf<typeof listWebhookEventTypes>> {
    await this.operator.recordRead(context, 'webhook_event_type.list');
    const source = this.sender.sourceOf(context.org);
    const items = publicEventTypes.map((type) => ({
      type,
      description: eventTypes[type].description,
      schema: z.toJSONSchema(eventTypes[type].data!) as Item['schema'],
      sample: sampleMessageOf(type, source) as unknown as Item['sample'],
    }));
    return { items };
  }

  @Handles(listWebhookKeys)
  async publicKeys(
    _: RequestOf<typeof listWebhookKeys>,
    { org }: RequestContext,
  ): Promise<ReplyOf<typeof listWebhookKeys>> {
    return { keys: await this.keys.publicKeys(this.database, org) };
  }
}

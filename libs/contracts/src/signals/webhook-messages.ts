import { z } from 'zod';
import { idempotentCommand, query } from '../contract.js';
import { instant, pageLimit, uuid } from '../fields.js';
import { publicEventTypes } from './signals.js';

/** Messages that one request may send again. */
export const maxRecoveredMessages = 10_000;

const deliveryStatus = z
  .enum(['pending', 'delivered', 'failed', 'skipped'])
  .describe(
    '`pending`: it is sent now or later; `failed`: ten attempts have failed, and none follows by itself; ' +
      '`skipped`: left out by choice',
  );
export const webhookDeliveryStatuses = deliveryStatus.options;

const deliverySchema = z
  .strictObject({
    endpoint: uuid.describe('The endpoint'),
    status: deliveryStatus,
    attempts: z.int().describe('Attempts so far'),
    nextAttemptAt: instant.optional().describe('Of a pending one: not before then'),
  })
  .meta({ id: 'WebhookDelivery' });

const messageSchema = z
  .strictObject({
    id: uuid.describe('The event, and the `webhook-id` of each of its attempts'),
    type: z.enum(publicEventTypes).describe('What happened'),
    occurredAt: instant.describe('When it happened'),
    deliveries: z.array(deliverySchema).describe('What became of it at each endpoint that gets it'),
  })
  .meta({ id: 'WebhookMessage' });
export type WebhookMessage = z.output<typeof messageSchema>;

const webhookAttemptSchema = z
  .strictObject({
    at: instant.describe('When it began'),
    status: z.int().optional().describe('Status of the response; absent without a response'),
    latencyMs: z.int().describe('Time until the response, or until the failure'),
    response: z.string().optional().describe('The first kilobyte of the response'),
    error: z.string().optional().describe('Why the message was not delivered'),
  })
  .meta({ id: 'WebhookAttempt' });
export type WebhookAttempt = z.output<typeof webhookAttemptSchema>;

const deliveryHistorySchema = deliverySchema
  .extend({ history: z.array(webhookAttemptSchema).describe('Oldest first, the last 20 at most') })
  .meta({ id: 'WebhookDeliveryHistory' });
export type WebhookDeliveryHistory = z.output<typeof deliveryHistorySchema>;

const attemptsSchema = z
  .strictObject({
    id: uuid.describe('The message'),
    deliveries: z.array(deliveryHistorySchema).describe('What became of it at each endpoint'),
  })
  .meta({ id: 'WebhookMessageAttempts' });

const filter = {
  endpoint: uuid.optional().describe('Only messages to this endpoint'),
  types: z.array(z.enum(publicEventTypes)).optional(),
  status: deliveryStatus.optional(),
  since: instant.optional(),
  until: instant.optional(),
};

const cursor = z.int().describe('Messages before this position in the feed');

const recoverySchema = z
  .strictObject({
    since: instant.describe('Events that came to the feed at this time or later'),
    until: instant.optional().describe('And before this time; now when left out'),
    types: z
      .array(z.enum(publicEventTypes))
      .min(1)
      .max(publicEventTypes.length)
      .optional()
      .describe('Only these types'),
    onlyFailed: z
      .boolean()
      .default(true)
      .describe('Only what was not delivered. False sends everything again, also what the endpoint never got'),
  })
  .refine(({ since, until }) => until === undefined || since < until, {
    path: ['until'],
    message: 'must be after `since`',
  })
  .meta({ id: 'WebhookRecovery' });
export type WebhookRecovery = z.output<typeof recoverySchema>;

export const recoveredSchema = z
  .strictObject({
    messages: z.int().describe('How many messages are sent again'),
    hasMore: z
      .boolean()
      .describe(`Whether there are more than ${maxRecoveredMessages}: repeat the request when these have been sent`),
  })
  .meta({ id: 'RecoveredWebhookMessages' });

const callers = ['gateway', 'operator'] as const;
const id = uuid.describe('The message: the id of its event');

/** Newest first, by the place of their events in the feed. */
export const listWebhookMessages = query({
  service: 'signals',
  name: 'list-webhook-messages',
  callers,
  request: z.strictObject({ ...filter, limit: pageLimit, after: cursor.optional() }),
  reply: z.strictObject({ items: z.array(messageSchema), next: cursor.optional() }),
  errors: ['unknown_organization'],
});
export const listWebhookAttempts = query({
  service: 'signals',
  name: 'list-webhook-attempts',
  callers,
  request: z.strictObject({ id }),
  reply: attemptsSchema,
  errors: ['unknown_webhook_message', 'unknown_organization'],
});
export const resendWebhookMessage = idempotentCommand({
  service: 'signals',
  name: 'resend-webhook-message',
  callers,
  request: z.strictObject({ id, endpoint: uuid.optional().describe('Only to this endpoint') }),
  reply: z.strictObject({ endpoints: z.int() }),
  errors: ['unknown_webhook_message', 'unknown_webhook_endpoint', 'unknown_organization'],
});
export const recoverWebhookEndpoint = idempotentCommand({
  service: 'signals',
  name: 'recover-webhook-endpoint',
  callers,
  request: z.strictObject({ id: uuid.describe('The endpoint'), recovery: recoverySchema }),
  reply: recoveredSchema,
  errors: ['unknown_webhook_endpoint', 'unknown_organization'],
});

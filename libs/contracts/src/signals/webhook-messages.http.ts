import { z } from 'zod';
import type { AuditTarget } from '../audit/audit-record.js';
import { instant, uuid } from '../fields.js';
import { http } from '../http/forwarded.js';
import { typesParameter } from './events.http.js';
import {
  listWebhookAttempts,
  listWebhookMessages,
  recoveredSchema,
  recoverWebhookEndpoint,
  resendWebhookMessage,
  webhookDeliveryStatuses,
  type WebhookMessage,
} from './webhook-messages.js';

const tag = 'Admin API: webhooks';
const operation = 'webhooks:manage';
const path = '/o/{shortId}/api/admin/webhooks/messages';

const messageTarget = (id: string): AuditTarget => ({ type: 'webhook_message', id });
const targets = ({ params: { id } }: { params: { id: string } }) => [messageTarget(id)];

const delivery = { endpoint: '019aa5f2-7c25-7a86-9caa-7d8e9fa0b1c2', status: 'pending', attempts: 2 } as const;
const example: WebhookMessage = {
  id: '019aa5f2-7c1f-7c54-92e6-4f1b0a9c8d04',
  type: 'credential.revoked',
  occurredAt: '2026-11-21T09:41:12.345Z',
  deliveries: [{ ...delivery, nextAttemptAt: '2026-11-21T09:46:17.345Z' }],
};

export const webhookMessageEndpoints = [
  http(listWebhookMessages, {
    id: 'listWebhookMessages',
    method: 'GET',
    path,
    tag,
    summary: 'List messages',
    description:
      'What was sent, waits or has failed, newest first. Messages about an erased customer are deleted. What a ' +
      'paused endpoint has not got yet is no message until it is resumed.',
    operation,
    action: 'webhook_message.list',
    query: {
      endpoint: uuid.optional().describe('Only messages to this endpoint'),
      types: typesParameter,
      status: z.enum(webhookDeliveryStatuses).optional().describe('Only messages that are so at an endpoint'),
      since: instant.optional().describe('Only events that came to the feed at this time or later'),
      until: instant.optional().describe('Only events that came to the feed before this time'),
    },
    response: 'Messages, with what became of each at every endpoint',
    page: 'WebhookMessagePage',
    example,
    targets: () => [],
  }),
  http(listWebhookAttempts, {
    id: 'listWebhookAttempts',
    method: 'GET',
    path: `${path}/{id}/attempts`,
    tag,
    summary: 'List the attempts of a message',
    operation,
    action: 'webhook_message.read',
    response: 'The attempts at each endpoint, with the first kilobyte of each response',
    example: {
      id: example.id,
      deliveries: [
        {
          ...delivery,
          nextAttemptAt: '2026-11-21T09:46:17.345Z',
          history: [
            {
              at: '2026-11-21T09:41:12.391Z',
              status: 503,
              latencyMs: 38,
              response: 'maintenance',
              error: 'the receiver responded with status 503.',
            },
          ],
        },
      ],
    },
    targets,
  }),
  http(resendWebhookMessage, {
    id: 'resendWebhookMessage',
    method: 'POST',
    path: `${path}/{id}/resend`,
    tag,
    summary: 'Send a message again',
    description: 'At once, with the same `webhook-id`, and with ten attempts of its own.',
    operation,
    noStepUp: 'it sends what the endpoint gets anyway, and to the stored address only',
    action: 'webhook_message.resend',
    body: z
      .strictObject({
        endpoint: uuid.optional().describe('Only to this endpoint; to each that has the message when left out'),
      })
      .meta({ id: 'WebhookResend' }),
    bodies: {
      all: { summary: 'To each endpoint that has it', value: {} },
      one: { summary: 'To one endpoint', value: { endpoint: delivery.endpoint } },
    },
    status: 202,
    response: 'It is sent again',
    schema: z
      .strictObject({ endpoints: z.int().describe('To how many endpoints') })
      .meta({ id: 'ResentWebhookMessage' }),
    example: { endpoints: 1 },
    targets,
  }),
  http(recoverWebhookEndpoint, {
    id: 'recoverWebhookEndpoint',
    method: 'POST',
    path: '/o/{shortId}/api/admin/webhooks/endpoints/{id}/recover',
    tag,
    summary: 'Send the messages of a time again',
    description:
      'What an endpoint has not got in this time, or everything, is sent again: the oldest first, 10,000 messages ' +
      'with one request at most.',
    operation,
    noStepUp: 'it sends what the endpoint gets anyway, and to the stored address only',
    action: 'webhook_endpoint.recover',
    body: 'recovery',
    bodies: {
      failed: { summary: 'What has failed since', value: { since: '2026-11-21T00:00:00.000Z' } },
      all: {
        summary: 'Everything of an hour',
        value: { since: '2026-11-21T09:00:00.000Z', until: '2026-11-21T10:00:00.000Z', onlyFailed: false },
      },
    },
    status: 202,
    response: 'They are sent again',
    schema: recoveredSchema,
    example: { messages: 37, hasMore: false },
    targets: ({ params: { id } }) => [{ type: 'webhook_endpoint', id }],
  }),
];

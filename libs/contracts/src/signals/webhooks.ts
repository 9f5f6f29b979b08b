import { z } from 'zod';
import { idempotentCommand, query } from '../contract.js';
import { instant, uuid } from '../fields.js';
import { makerSchema } from '../maker.js';
import { readableText } from '../readable-text.js';
import { headerName, headerValue, receiverUrl } from './receivers.js';
import { publicEventTypes } from './signals.js';

/** Webhook endpoints that one organization may have. */
export const maxWebhookEndpoints = 50;
const maxHeaders = 10;

const url = receiverUrl('https://shop.example/webhooks').describe('Where messages are sent by POST');
const description = readableText(200).describe('What it is for');
const types = z
  .array(z.enum(publicEventTypes, 'must be an event type of docs/reference/events.md'))
  .min(1, 'must have at least one type; leave it out for all')
  .max(publicEventTypes.length)
  .transform((list) => [...new Set(list)].sort())
  .describe('Only events of these types are sent');
const headers = z
  .record(headerName, headerValue)
  .refine((all) => Object.keys(all).length <= maxHeaders, `must have at most ${maxHeaders} headers`)
  .describe('Headers of each request, such as `authorization`. Their values are never returned');
const rateLimit = z.int().min(1).max(1000).describe('Messages per second at most');
const signature = z
  .enum(['v1', 'v1a'])
  .describe('`v1`: HMAC-SHA256 with the secret; `v1a`: Ed25519 with a key of the organization');
const signatures = z
  .array(signature)
  .min(1)
  .max(2)
  .transform((list) => [...new Set(list)].sort())
  .describe('How each message is signed (Standard Webhooks)');

const newWebhookEndpointSchema = z
  .strictObject({
    url,
    description: description.optional(),
    types: types.optional(),
    headers: headers.optional(),
    rateLimit: rateLimit.optional(),
    signatures: signatures.default(['v1']),
  })
  .meta({ id: 'NewWebhookEndpoint' });
export type NewWebhookEndpoint = z.output<typeof newWebhookEndpointSchema>;

const webhookEndpointChangesSchema = z
  .strictObject({
    url: url.optional().describe('Another scheme, host or port needs `headers` as well, if it has any'),
    description: description.nullable().optional().describe('Null removes it'),
    types: types.nullable().optional().describe('Null removes the filter: events of all types are sent'),
    headers: headers.nullable().optional().describe('Replaces all headers; null removes them'),
    rateLimit: rateLimit.nullable().optional().describe('Null removes the limit'),
    signatures: signatures.optional(),
  })
  .refine((changes) => Object.keys(changes).length > 0, 'must have at least one member')
  .meta({ id: 'WebhookEndpointChanges' });
export type WebhookEndpointChanges = z.output<typeof webhookEndpointChangesSchema>;

const webhookEndpointStates = ['active', 'paused', 'disabled', 'suspended'] as const;

const webhookEndpointSchema = z
  .strictObject({
    id: uuid.describe('The endpoint'),
    url: z.string().describe('Where messages are sent'),
    description: z.string().optional().describe('What it is for'),
    types: z.array(z.enum(publicEventTypes)).optional().describe('Types of events that are sent; all when absent'),
    headers: z.array(z.string()).optional().describe('Names of its own headers; never their values'),
    rateLimit: z.int().optional().describe('Messages per second at most'),
    signatures: z.array(signature).describe('How each message is signed'),
    maker: makerSchema
      .optional()
      .describe(
        'Who is responsible for it: who created it, changed what it sends or where, or resumed it last. It is paused ' +
          'when they may not manage webhooks any more',
      ),
    state: z
      .enum(webhookEndpointStates)
      .describe(
        '`paused` by somebody; `disabled` because of what the receiver answers; `suspended`: the organization is ' +
          'suspended. Nothing is sent then, and nothing is lost: `resume` sends what has happened meanwhile',
      ),
    pausedBecause: z
      .enum(['request', 'maker'])
      .optional()
      .describe('Of a paused one: `maker`: its maker may not manage webhooks any more'),
    disabledBecause: z
      .enum(['gone', 'failures'])
      .optional()
      .describe('Of a disabled one: `gone`: the receiver answered 410; `failures`: nothing else for five days'),
    disabledAt: instant.optional().describe('When it was disabled'),
    createdAt: instant.describe('When it was created'),
    version: z.int().describe('Counts its changes'),
    waiting: z.int().describe('Messages that it has not got yet, those of a paused endpoint included; 10,000 at most'),
    lastSuccessAt: instant.optional().describe('About when the receiver confirmed a message last'),
    lastError: z
      .strictObject({
        at: instant.describe('When'),
        detail: z.string().describe('What happened'),
        attempts: z.int().describe('Failed attempts since the last success'),
        failingSince: instant.optional().describe('When the first of them was made'),
      })
      .optional()
      .describe('Why the last attempt failed; absent when it succeeded'),
  })
  .meta({ id: 'WebhookEndpoint' });
export type WebhookEndpoint = z.output<typeof webhookEndpointSchema>;

const secret = z.string().describe('Secret that signs messages (Standard Webhooks). Only this response shows it');
const createdWebhookEndpointSchema = webhookEndpointSchema.extend({ secret }).meta({ id: 'CreatedWebhookEndpoint' });

export const rotatedWebhookSecretSchema = z
  .strictObject({
    secret,
    previousUntil: instant.describe('Until then messages are signed with the earlier secret as well'),
  })
  .meta({ id: 'RotatedWebhookSecret' });

export const resumeWebhookEndpointSchema = z
  .strictObject({
    skip: z
      .boolean()
      .default(false)
      .describe('Whether what has happened meanwhile is left out instead of sent. It can be sent later by `recover`'),
  })
  .meta({ id: 'WebhookEndpointResumption' });

export const webhookTestSchema = z
  .strictObject({
    type: z.enum(publicEventTypes).optional().describe('The type whose sample is sent; the first one of the filter'),
  })
  .meta({ id: 'WebhookTest' });
export const webhookTestResultSchema = z
  .strictObject({
    delivered: z.boolean().describe('Whether the receiver has confirmed the message'),
    status: z.int().optional().describe('Status of its response'),
    latencyMs: z.int().describe('Time until the response, or until the failure'),
    detail: z.string().optional().describe('Why it was not confirmed'),
  })
  .meta({ id: 'WebhookTestResult' });

const publicKeySchema = z
  .strictObject({
    kty: z.literal('OKP').describe('Kind of key (RFC 8037)'),
    crv: z.literal('Ed25519').describe('Curve'),
    x: z.string().describe('Public key: 32 bytes in base64url'),
    kid: z.string().describe('Thumbprint of the key (RFC 7638)'),
    alg: z.literal('EdDSA').describe('Algorithm'),
    use: z.literal('sig').describe('Signatures only'),
  })
  .meta({ id: 'WebhookPublicKey' });
export type WebhookPublicKey = z.output<typeof publicKeySchema>;
export const webhookKeysSchema = z
  .strictObject({
    keys: z.array(publicKeySchema).describe('Newest first; an earlier one for a day after its rotation'),
  })
  .meta({ id: 'WebhookKeys' });

/** The organization's events, by type: what webhooks, the feed and their libraries can rely on. */
const webhookEventTypeSchema = z
  .strictObject({
    type: z.enum(publicEventTypes).describe('The type'),
    description: z.string().describe('When it is emitted'),
    schema: z.record(z.string(), z.json()).describe('JSON Schema (2020-12) of `data`'),
    sample: z.record(z.string(), z.json()).describe('A message of this type as an endpoint gets it'),
  })
  .meta({ id: 'WebhookEventType' });

const callers = ['gateway', 'operator'] as const;
/** The operator may name one that does not exist. */
const ofOperator = ['unknown_organization'] as const;
const errors = ['unknown_webhook_endpoint', ...ofOperator] as const;
const id = uuid.describe('The endpoint');
const ifVersions = z.array(z.int()).max(20).optional();
const changed = z.strictObject({ endpoint: webhookEndpointSchema, changed: z.boolean() });

export const createWebhookEndpoint = idempotentCommand({
  service: 'signals',
  name: 'create-webhook-endpoint',
  callers,
  request: z.strictObject({ endpoint: newWebhookEndpointSchema }),
  reply: z.strictObject({ endpoint: createdWebhookEndpointSchema }),
  errors: ['limit_reached', 'invalid_request', ...ofOperator],
});
export const listWebhookEndpoints = query({
  service: 'signals',
  name: 'list-webhook-endpoints',
  callers,
  request: z.strictObject({}),
  reply: z
    .strictObject({ items: z.array(webhookEndpointSchema).describe('Newest first') })
    .meta({ id: 'WebhookEndpoints' }),
  errors: ofOperator,
});
export const getWebhookEndpoint = query({
  service: 'signals',
  name: 'get-webhook-endpoint',
  callers,
  request: z.strictObject({ id }),
  reply: webhookEndpointSchema,
  errors,
});
export const updateWebhookEndpoint = idempotentCommand({
  service: 'signals',
  name: 'update-webhook-endpoint',
  callers,
  request: z.strictObject({ id, changes: webhookEndpointChangesSchema, ifVersions }),
  reply: changed,
  errors: [...errors, 'invalid_request', 'precondition_failed'],
});
export const deleteWebhookEndpoint = idempotentCommand({
  service: 'signals',
  name: 'delete-webhook-endpoint',
  callers,
  request: z.strictObject({ id, ifVersions }),
  reply: z.strictObject({}),
  errors: [...errors, 'precondition_failed'],
});
export const pauseWebhookEndpoint = idempotentCommand({
  service: 'signals',
  name: 'pause-webhook-endpoint',
  callers,
  request: z.strictObject({ id }),
  reply: changed,
  errors,
});
/** Also of one that was disabled, or that waits after failures: the next attempt is made at once. */
export const resumeWebhookEndpoint = idempotentCommand({
  service: 'signals',
  name: 'resume-webhook-endpoint',
  callers,
  request: z.strictObject({ id, skip: z.boolean() }),
  reply: changed,
  errors,
});
export const rotateWebhookSecret = idempotentCommand({
  service: 'signals',
  name: 'rotate-webhook-secret',
  callers,
  request: z.strictObject({ id }),
  reply: rotatedWebhookSecretSchema,
  errors,
});
export const testWebhookEndpoint = idempotentCommand({
  service: 'signals',
  name: 'test-webhook-endpoint',
  callers,
  request: z.strictObject({ id, type: z.enum(publicEventTypes).optional() }),
  reply: webhookTestResultSchema,
  errors,
});
/** A new key signs from now on, and the earlier one as well for a day. */
export const rotateWebhookKey = idempotentCommand({
  service: 'signals',
  name: 'rotate-webhook-key',
  callers,
  request: z.strictObject({}),
  reply: webhookKeysSchema,
  errors: ofOperator,
});
/** Public: receivers that verify `v1a` need them. Empty for an organization without such an endpoint. */
export const listWebhookKeys = query({
  service: 'signals',
  name: 'list-webhook-keys',
  callers: ['gateway'],
  request: z.strictObject({}),
  reply: webhookKeysSchema,
});
export const listWebhookEventTypes = query({
  service: 'signals',
  name: 'list-webhook-event-types',
  callers,
  request: z.strictObject({}),
  reply: z
    .strictObject({ items: z.array(webhookEventTypeSchema).describe('In the order of the catalogue') })
    .meta({ id: 'WebhookEventTypes' }),
  errors: ofOperator,
});

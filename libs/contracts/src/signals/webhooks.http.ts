import type { AuditTarget } from '../audit/audit-record.js';
import { http } from '../http/forwarded.js';
import { sampleMessageOf } from './webhook-message.js';
import {
  createWebhookEndpoint,
  deleteWebhookEndpoint,
  getWebhookEndpoint,
  listWebhookEndpoints,
  listWebhookEventTypes,
  pauseWebhookEndpoint,
  resumeWebhookEndpoint,
  resumeWebhookEndpointSchema,
  rotatedWebhookSecretSchema,
  rotateWebhookKey,
  rotateWebhookSecret,
  testWebhookEndpoint,
  updateWebhookEndpoint,
  webhookKeysSchema,
  webhookTestResultSchema,
  webhookTestSchema,
  type WebhookEndpoint,
  type WebhookPublicKey,
} from './webhooks.js';

const tag = 'Admin API: webhooks';
const operation = 'webhooks:manage';
const path = '/o/{shortId}/api/admin/webhooks/endpoints';

const endpointTarget = (id: string): AuditTarget => ({ type: 'webhook_endpoint', id });
const targets = ({ params: { id } }: { params: { id: string } }) => [endpointTarget(id)];

const example: WebhookEndpoint = {
  id: '019aa5f2-7c1f-7c54-92e6-4f1b0a9c8d04',
  url: 'https://shop.example/webhooks',
  description: 'Orders',
  types: ['credential.revoked', 'credential.suspended'],
  signatures: ['v1'],
  state: 'active',
  createdAt: '2026-11-21T09:30:00.000Z',
  version: 1,
  waiting: 0,
  lastSuccessAt: '2026-11-21T10:02:11.204Z',
};
const secret = 'whsec_YWJjZGVmZ2hpamtsbW5vcHFyc3R1dnd4eXoxMjM0NTY=';
export const webhookKeyExample: WebhookPublicKey = {
  kty: 'OKP',
  crv: 'Ed25519',
  x: '11qYAYKxCrfVS_7TyWQHOg7hcvPapiMlrwIaaPcHURo',
  kid: 'kPrK_qmxVWaYVA9wwBF6Iuo3vVzz7TxHCTwXBygrS4k',
  alg: 'EdDSA',
  use: 'sig',
};
/** The response of most changes. */
const changed = { response: 'The endpoint as it is now', member: 'endpoint', versioned: true } as const;
const noBody = { summary: 'With the defaults', value: {} };

export const webhookEndpoints = [
  http(listWebhookEndpoints, {
    id: 'listWebhookEndpoints',
    method: 'GET',
    path,
    tag,
    summary: 'List webhook endpoints',
    description: 'Newest first, with what waits and why the last attempt failed. See docs/webhooks.md.',
    operation,
    action: 'webhook_endpoint.list',
    response: 'The endpoints, 50 at most',
    example: { items: [example] },
    targets: () => [],
  }),
  http(createWebhookEndpoint, {
    id: 'createWebhookEndpoint',
    method: 'POST',
    path,
    tag,
    summary: 'Create a webhook endpoint',
    description:
      'From now on each event, or each of the given types, is sent there as a CloudEvent, signed by Standard ' +
      'Webhooks. Only this response shows the secret.',
    operation,
    action: 'webhook_endpoint.create',
    stepUp: true,
    body: 'endpoint',
    bodies: {
      all: { summary: 'All events', value: { url: 'https://shop.example/webhooks', description: 'Orders' } },
      some: {
        summary: 'Two types, a header, and a limit',
        value: {
          url: 'https://shop.example/webhooks',
          types: ['credential.revoked', 'credential.suspended'],
          headers: { authorization: 'Bearer 8d3c9a6e1b7f4f0a' },
          rateLimit: 20,
        },
      },
    },
    status: 201,
    response: 'The endpoint is created',
    member: 'endpoint',
    versioned: true,
    example: { ...example, secret },
    targets: (_, outcome) => (outcome ? [endpointTarget(outcome.reply.endpoint.id)] : []),
    location: {
      of: 'the endpoint',
      path: ({ params: { shortId } }, { endpoint }) => `/o/${shortId}/api/admin/webhooks/endpoints/${endpoint.id}`,
    },
  }),
  http(getWebhookEndpoint, {
    id: 'getWebhookEndpoint',
    method: 'GET',
    path: `${path}/{id}`,
    tag,
    summary: 'Get a webhook endpoint',
    operation,
    action: 'webhook_endpoint.read',
    response: 'The endpoint',
    versioned: true,
    example,
    targets,
  }),
  http(updateWebhookEndpoint, {
    id: 'updateWebhookEndpoint',
    method: 'PATCH',
    path: `${path}/{id}`,
    tag,
    summary: 'Change a webhook endpoint',
    description:
      'Changes only the given members. Messages that wait are sent with what is stored now. Stored headers are never ' +
      'sent to another scheme, host or port: give them again with a `url` of another one.',
    operation,
    action: 'webhook_endpoint.update',
    stepUp: true,
    body: 'changes',
    bodies: {
      moved: { summary: 'Another path', value: { url: 'https://shop.example/holdfast' } },
      all: { summary: 'All types', value: { types: null } },
    },
    ...changed,
    example,
    targets,
  }),
  http(deleteWebhookEndpoint, {
    id: 'deleteWebhookEndpoint',
    method: 'DELETE',
    path: `${path}/{id}`,
    tag,
    summary: 'Delete a webhook endpoint',
    description: 'Nothing is sent there any more, except what is being sent right now. Its messages are deleted.',
    operation,
    noStepUp: 'it only ends what is sent',
    action: 'webhook_endpoint.delete',
    status: 204,
    versioned: true,
    response: 'The endpoint is deleted',
    targets,
  }),
  http(pauseWebhookEndpoint, {
    id: 'pauseWebhookEndpoint',
    method: 'POST',
    path: `${path}/{id}/pause`,
    tag,
    summary: 'Pause a webhook endpoint',
    description: 'Nothing is sent until it is resumed. Events stay in the feed meanwhile, and are sent then.',
    operation,
    noStepUp: 'it only stops what is sent',
    action: 'webhook_endpoint.pause',
    ...changed,
    example: { ...example, state: 'paused', pausedBecause: 'request' },
    targets,
  }),
  http(resumeWebhookEndpoint, {
    id: 'resumeWebhookEndpoint',
    method: 'POST',
    path: `${path}/{id}/resume`,
    tag,
    summary: 'Resume a webhook endpoint',
    description:
      'Of one that is paused or disabled: sends what has happened meanwhile in order, as far as the feed has it (30 ' +
      'days at least), or skips it. Of one that fails: the next attempts are made at once.',
    operation,
    action: 'webhook_endpoint.resume',
    stepUp: true,
    body: resumeWebhookEndpointSchema,
    bodies: { send: noBody, skip: { summary: 'Without what happened meanwhile', value: { skip: true } } },
    ...changed,
    example,
    targets,
  }),
  http(testWebhookEndpoint, {
    id: 'testWebhookEndpoint',
    method: 'POST',
    path: `${path}/{id}/test`,
    tag,
    summary: 'Send a test message',
    description:
      'Sends the sample of a type at once, with an id of its own and the extension attribute `test`, and says what ' +
      'the receiver answered. It is sent to a paused endpoint too, and is repeated never.',
    operation,
    noStepUp: 'it sends a sample, and to the stored address only',
    action: 'webhook_endpoint.test',
    body: webhookTestSchema,
    bodies: { first: noBody, one: { summary: 'One type', value: { type: 'credential.revoked' } } },
    response: 'What the receiver answered',
    schema: webhookTestResultSchema,
    example: { delivered: false, status: 403, latencyMs: 41, detail: 'the receiver responded with status 403.' },
    targets,
  }),
  http(rotateWebhookSecret, {
    id: 'rotateWebhookSecret',
    method: 'POST',
    path: `${path}/{id}/secrets`,
    tag,
    summary: 'Rotate the secret of a webhook endpoint',
    description:
      'A new secret signs from now on, and the earlier one as well for 24 hours, so that the receiver can change ' +
      'without losing a message. Only this response shows it.',
    operation,
    action: 'webhook_endpoint.rotate_secret',
    stepUp: true,
    status: 201,
    response: 'The new secret',
    schema: rotatedWebhookSecretSchema,
    example: { secret, previousUntil: '2026-11-22T09:30:00.000Z' },
    targets,
  }),
  http(rotateWebhookKey, {
    id: 'rotateWebhookKey',
    method: 'POST',
    path: '/o/{shortId}/api/admin/webhooks/keys',
    tag,
    summary: 'Rotate the key that signs with Ed25519',
    description:
      'A new key of the organization signs the messages of endpoints with `v1a` from now on, and the earlier one as ' +
      'well for 24 hours. `GET /o/{shortId}/webhooks/jwks` has both until then.',
    operation,
    action: 'webhook_key.rotate',
    stepUp: true,
    status: 201,
    response: 'The public keys, newest first',
    schema: webhookKeysSchema,
    example: { keys: [webhookKeyExample] },
    targets: () => [],
  }),
  http(listWebhookEventTypes, {
    id: 'listWebhookEventTypes',
    method: 'GET',
    path: '/o/{shortId}/api/admin/webhooks/event-types',
    tag,
    summary: 'List types of events',
    description: 'Each type with the JSON Schema of its data and a sample of its message.',
    operation,
    action: 'webhook_event_type.list',
    response: 'The types',
    example: {
      items: [
        {
          type: 'subject.erased',
          description: 'Erasure confirmation: every service has deleted the customer',
          schema: { type: 'object', properties: { subject: { type: 'string', format: 'uuid' } } },
          sample: { ...sampleMessageOf('subject.erased', 'https://id.example.com/o/acme') },
        },
      ],
    },
    targets: () => [],
  }),
];

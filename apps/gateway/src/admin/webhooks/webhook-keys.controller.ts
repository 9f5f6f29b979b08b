import { Controller, Res } from '@nestjs/common';
import type { FastifyReply } from 'fastify';
import { z } from 'zod';
import { listWebhookKeys, webhookKeysSchema, type ReplyOf } from '@holdfast/contracts';
import { endpoint, webhookKeyExample, type InputOf } from '@holdfast/contracts/http';
import { Bus, systemContext } from '@holdfast/messaging';
import { AppError } from '@holdfast/platform';
import { OrganizationProfiles } from '../../access/organization-profiles.js';
import { Route } from '../../endpoints/route.js';
import { Input } from '../../requests/input.js';

const sameForAll = 'public keys, the same for everybody';

const webhookKeysEndpoint = endpoint({
  id: 'getWebhookKeys',
  method: 'GET',
  public: sameForAll,
  limit: 'metadata',
  path: '/o/{shortId}/webhooks/jwks',
  tag: 'Admin API: webhooks',
  unrecorded: sameForAll,
  summary: 'Public keys of webhooks (RFC 7517)',
  description:
    'The Ed25519 keys of signatures `v1a`, newest first: accept a message that one of them has signed. Standard ' +
    'Webhooks writes such a key as `whpk_` and the base64 of its 32 bytes, which `x` has in base64url.',
  params: z.strictObject({
    shortId: z.string().max(200).describe("The organization's short identifier, as it appears in its issuer"),
  }),
  responses: { 200: { description: 'The keys; none before an endpoint with `v1a`', schema: webhookKeysSchema } },
  errors: ['unknown_organization'],
  examples: { response: { keys: [webhookKeyExample] } },
});

@Controller()
export class WebhookKeysController {
  constructor(
    private readonly bus: Bus,
    private readonly organizations: OrganizationProfiles,
  ) {}

  @Route(webhookKeysEndpoint)
  async get(
    @Input() { params: { shortId } }: InputOf<typeof webhookKeysEndpoint>,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<ReplyOf<typeof listWebhookKeys>> {
    if (!(await this.organizations.find(shortId))) throw new AppError('unknown_organization');
    // A rotated key is published before it signs for the first time, and for longer than this.
    void reply.header('cache-control', 'public, max-age=60');
    return this.bus.request(listWebhookKeys, {}, { ...systemContext('gateway'), org: shortId });
  }
}

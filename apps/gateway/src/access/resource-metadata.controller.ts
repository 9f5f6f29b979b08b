import { apiAudience, operationNames } from '@holdfast/contracts';
import { CONFIG } from '@holdfast/bus';
import { Controller, Inject } from '@nestjs/common';
import type { GatewayConfig } from '../config.js';
import { resourceMetadataReference } from '../docs/oauth.js';
import { endpoint, Route } from '../routing/endpoint.js';

export const resourceMetadataEndpoint = endpoint({
  id: 'getResourceMetadata',
  method: 'GET',
  limit: 'metadata',
  path: '/.well-known/oauth-protected-resource',
  tag: 'OAuth',
  unrecorded: 'metadata, the same for everybody',
  summary: 'Metadata of the API (RFC 9728)',
  answers: { 200: { description: 'The metadata' } },
  reference: resourceMetadataReference,
});

/** Where clients find the authorization server and the scopes of the API. */
@Controller()
export class ResourceMetadataController {
  constructor(@Inject(CONFIG) private readonly config: GatewayConfig) {}

  @Route(resourceMetadataEndpoint)
  metadata(): object {
    const { BASE_URL } = this.config;
    return {
      resource: apiAudience(BASE_URL),
      authorization_servers: [BASE_URL],
      scopes_supported: operationNames,
      bearer_methods_supported: ['header'],
      resource_documentation: `${BASE_URL}/docs`,
    };
  }
}

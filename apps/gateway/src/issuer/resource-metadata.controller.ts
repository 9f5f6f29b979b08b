import { Controller, Inject } from '@nestjs/common';
import { apiAudience, operationNames } from '@holdfast/contracts';
import { CONFIG } from '@holdfast/service';
import type { GatewayConfig } from '../config.js';
import { describedJson, describedText, describedTexts } from '../docs/described.js';
import type { Json } from '../docs/json-schema.js';
import { endpoint, Route } from '../endpoints/endpoint.js';

const resourceMetadataReference: Json = {
  responses: {
    200: {
      description: 'The metadata',
      content: describedJson(
        {
          type: 'object',
          properties: {
            resource: describedText(
              'The identifier that this address belongs to: the base address, or the API as the `aud` of its ' +
                'tokens names it',
            ),
            authorization_servers: describedTexts('Who gives tokens for it'),
            scopes_supported: describedTexts('Every operation that a token can hold'),
            bearer_methods_supported: describedTexts('`header` alone'),
            resource_documentation: describedText('Where this reference is'),
          },
        },
        {
          resource: 'https://id.example/api',
          authorization_servers: ['https://id.example'],
          bearer_methods_supported: ['header'],
          resource_documentation: 'https://id.example/docs',
        },
      ),
    },
  },
};

export const resourceMetadataEndpoint = endpoint({
  id: 'getResourceMetadata',
  method: 'GET',
  public: 'metadata, the same for everybody',
  limit: 'metadata',
  path: '/.well-known/oauth-protected-resource',
  tag: 'OAuth',
  unrecorded: 'metadata, the same for everybody',
  summary: 'Metadata of the API (RFC 9728)',
  responses: { 200: { description: 'The metadata' } },
  reference: resourceMetadataReference,
});

export const apiMetadataEndpoint = endpoint({
  ...resourceMetadataEndpoint,
  id: 'getApiMetadata',
  path: '/.well-known/oauth-protected-resource/api',
  summary: 'The same for the API, by the audience of its tokens (RFC 9728)',
});

/** Where clients find the authorization server and the scopes of the API. */
@Controller()
export class ResourceMetadataController {
  constructor(@Inject(CONFIG) private readonly config: GatewayConfig) {}

  @Route(resourceMetadataEndpoint)
  root(): object {
    return this.metadataOf(this.config.BASE_URL);
  }

  @Route(apiMetadataEndpoint)
  api(): object {
    return this.metadataOf(apiAudience(this.config.BASE_URL));
  }

  /**
   * `resource` is the identifier into whose address the well-known part was inserted (RFC 9728 §3.3): clients compare
   * the two.
   */
  private metadataOf(resource: string): object {
    const { BASE_URL } = this.config;
    return {
      resource,
      authorization_servers: [BASE_URL],
      scopes_supported: operationNames,
      bearer_methods_supported: ['header'],
      resource_documentation: `${BASE_URL}/docs`,
    };
  }
}

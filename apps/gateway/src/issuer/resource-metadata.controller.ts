import { Controller, Inject } from '@nestjs/common';
import { apiAudience, proofAlgorithms, tokenScopes } from '@holdfast/contracts';
import { endpoint } from '@holdfast/contracts/http';
import { CONFIG } from '@holdfast/service';
import type { GatewayConfig } from '../config.js';
import { describedJson, describedText, describedTexts } from '../docs/described.js';
import type { Json } from '../docs/json-schema.js';
import { Route } from '../endpoints/route.js';

const resourceMetadataReference: Json = {
  responses: {
    200: {
      description: 'The metadata',
      content: describedJson(
        {
          type: 'object',
          properties: {
            resource: describedText('The identifier of the resource: the base URL, or the `aud` of access tokens'),
            authorization_servers: describedTexts('Issuers of tokens for it'),
            scopes_supported: describedTexts('Every scope that a token can have'),
            bearer_methods_supported: describedTexts('Only `header`'),
            dpop_signing_alg_values_supported: describedTexts('Algorithms of DPoP proofs'),
            resource_documentation: describedText('The API reference'),
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

const resourceMetadataEndpoint = endpoint({
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

const apiMetadataEndpoint = endpoint({
  ...resourceMetadataEndpoint,
  id: 'getApiMetadata',
  path: '/.well-known/oauth-protected-resource/api',
  summary: 'The same, for the audience of access tokens (RFC 9728)',
});

/** Metadata from which clients learn the authorization server and the scopes of the API. */
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

  /** Clients compare `resource` with the identifier from which they built the metadata URL (RFC 9728 §3.3). */
  private metadataOf(resource: string): object {
    const { BASE_URL } = this.config;
    return {
      resource,
      authorization_servers: [BASE_URL],
      scopes_supported: [...tokenScopes],
      bearer_methods_supported: ['header'],
      // Tokens of apps that do not require DPoP are accepted without it, so nothing says that it is required.
      dpop_signing_alg_values_supported: proofAlgorithms,
      resource_documentation: `${BASE_URL}/docs`,
    };
  }
}

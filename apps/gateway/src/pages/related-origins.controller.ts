import { Controller, Inject } from '@nestjs/common';
import { relatedOriginsPath, relatedOriginsSchema } from '@holdfast/contracts';
import { endpoint } from '@holdfast/contracts/http';
import { CONFIG } from '@holdfast/service';
import type { GatewayConfig } from '../config.js';
import { Route } from '../endpoints/route.js';

const relatedOriginsEndpoint = endpoint({
  id: 'getRelatedOrigins',
  method: 'GET',
  public: 'metadata, the same for everybody',
  limit: 'metadata',
  path: relatedOriginsPath,
  tag: 'Claim',
  unrecorded: 'metadata, the same for everybody',
  summary: 'Related origins (WebAuthn)',
  description:
    'For organizations whose own domain leads to Holdfast and is their RP ID: browsers read here that the claim and ' +
    'sign-in pages may use this RP ID.',
  responses: {
    200: { description: 'The origin of the pages', schema: relatedOriginsSchema.meta({ id: 'RelatedOrigins' }) },
  },
  examples: { response: { origins: ['https://id.example'] } },
});

/**
 * The response does not depend on the Host header: an operator who points a domain at Holdfast has decided that our
 * pages may use it as RP ID, and the pages use only the RP ID of their organization.
 */
@Controller()
export class RelatedOriginsController {
  constructor(@Inject(CONFIG) private readonly config: GatewayConfig) {}

  @Route(relatedOriginsEndpoint)
  get(): object {
    return { origins: [new URL(this.config.BASE_URL).origin] };
  }
}

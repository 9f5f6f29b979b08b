import { Controller, Header, Inject } from '@nestjs/common';
import { z } from 'zod';
import { endpoint } from '@holdfast/contracts/http';
import { AppError, CLOCK, type Clock } from '@holdfast/platform';
import { CONFIG } from '@holdfast/service';
import type { GatewayConfig } from '../config.js';
import { mediaTypes } from '../edge/media-types.js';
import { Route } from '../endpoints/route.js';
import { securityTxt, securityTxtPath } from './security-txt.js';

const sameForAll = 'metadata, the same for everybody';

const securityTxtEndpoint = endpoint({
  id: 'getSecurityTxt',
  method: 'GET',
  public: sameForAll,
  limit: 'metadata',
  path: securityTxtPath,
  tag: 'Reference',
  unrecorded: sameForAll,
  summary: 'Where to report a vulnerability (RFC 9116)',
  description: 'Whom the operator of this deployment has named. Without a contact the response is 404.',
  responses: { 200: { description: 'The file', media: ['text/plain'] } },
  errors: ['not_found'],
  examples: {
    text: [
      'Contact: mailto:security@id.example',
      'Expires: 2026-12-21T00:00:00Z',
      'Preferred-Languages: en',
      'Canonical: https://id.example/.well-known/security.txt',
      '',
    ].join('\n'),
  },
});

const passkeyEndpointsEndpoint = endpoint({
  id: 'getPasskeyEndpoints',
  method: 'GET',
  public: sameForAll,
  limit: 'metadata',
  path: '/.well-known/passkey-endpoints',
  tag: 'Claim',
  unrecorded: sameForAll,
  summary: 'Pages on which people manage passkeys (W3C Passkey Endpoints)',
  description:
    'Tells password managers that this site uses passkeys. A customer gets one by the claim link of an organization, ' +
    'so there is no page for all to which `enroll` or `manage` could lead, and neither is a member.',
  responses: {
    200: {
      description: 'The pages, as far as they exist',
      schema: z
        .strictObject({
          enroll: z.url().optional().describe('Where a passkey is created'),
          manage: z.url().optional().describe('Where passkeys are managed'),
        })
        .meta({ id: 'PasskeyEndpoints' }),
    },
  },
  examples: { response: {} },
});

@Controller()
export class WellKnownController {
  constructor(
    @Inject(CONFIG) private readonly config: GatewayConfig,
    @Inject(CLOCK) private readonly clock: Clock,
  ) {}

  @Route(securityTxtEndpoint)
  @Header('content-type', mediaTypes.text)
  securityTxt(): string {
    const file = securityTxt(this.config, this.clock.now());
    if (file === undefined) throw new AppError('not_found', 'The operator has named no contact (SECURITY_CONTACT).');
    return file;
  }

  @Route(passkeyEndpointsEndpoint)
  passkeyEndpoints(): object {
    return {};
  }
}

import { Controller, Inject, Res } from '@nestjs/common';
import type { FastifyReply } from 'fastify';
import { z } from 'zod';
import { deliveryMethods, getTransmitter, issuerPaths } from '@holdfast/contracts';
import { endpoint, type InputOf } from '@holdfast/contracts/http';
import { Bus, systemContext } from '@holdfast/messaging';
import { AppError } from '@holdfast/platform';
import { CONFIG } from '@holdfast/service';
import { OrganizationProfiles } from '../access/organization-profiles.js';
import type { GatewayConfig } from '../config.js';
import { Route } from '../endpoints/route.js';
import { Input } from '../requests/input.js';

const sameForAll = 'metadata, the same for everybody';

const configurationSchema = z
  .strictObject({
    spec_version: z.literal('1_0').describe('Version of SSF'),
    issuer: z.string().describe("The transmitter: the organization's issuer, `iss` of each token"),
    jwks_uri: z.string().describe('Keys that sign tokens: those of the issuer'),
    delivery_methods_supported: z.array(z.string()).describe('Push (RFC 8935) and poll (RFC 8936)'),
    configuration_endpoint: z.string().describe('Streams'),
    status_endpoint: z.string().describe('Their status'),
    add_subject_endpoint: z.string().describe('Adds a subject to a stream'),
    remove_subject_endpoint: z.string().describe('Removes a subject from a stream'),
    verification_endpoint: z.string().describe('Requests a verification event'),
    authorization_schemes: z
      .array(z.strictObject({ spec_urn: z.string().describe('OAuth 2.0') }))
      .describe('How receivers authorize'),
    default_subjects: z.enum(['ALL', 'NONE']).describe('Which subjects a new stream is about'),
  })
  .meta({ id: 'SsfConfiguration' });
type Configuration = z.output<typeof configurationSchema>;

const configurationEndpoint = endpoint({
  id: 'getSsfConfigurationDocument',
  method: 'GET',
  public: sameForAll,
  limit: 'metadata',
  path: '/.well-known/ssf-configuration/o/{shortId}',
  tag: 'Shared Signals',
  unrecorded: sameForAll,
  summary: 'Metadata of the transmitter',
  description: 'SSF 1.0 §7: the address is that of the issuer with the well-known path inserted.',
  params: z.strictObject({
    shortId: z.string().max(200).describe("The organization's short identifier, as it appears in its issuer"),
  }),
  responses: { 200: { description: 'The metadata', schema: configurationSchema } },
  errors: ['unknown_organization'],
  examples: { response: configurationOf('https://id.example', 'acme', 'ALL') },
});

@Controller()
export class DiscoveryController {
  constructor(
    private readonly bus: Bus,
    private readonly organizations: OrganizationProfiles,
    @Inject(CONFIG) private readonly config: Pick<GatewayConfig, 'BASE_URL'>,
  ) {}

  @Route(configurationEndpoint)
  async get(
    @Input() { params: { shortId } }: InputOf<typeof configurationEndpoint>,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<Configuration> {
    if (!(await this.organizations.find(shortId))) throw new AppError('unknown_organization');
    const context = { ...systemContext('gateway'), org: shortId };
    const { defaultSubjects } = await this.bus.request(getTransmitter, {}, context);
    void reply.header('cache-control', 'public, max-age=60');
    return configurationOf(this.config.BASE_URL, shortId, defaultSubjects);
  }
}

function configurationOf(baseUrl: string, shortId: string, defaultSubjects: 'ALL' | 'NONE'): Configuration {
  const issuer = `${baseUrl}/o/${shortId}`;
  const ssf = `${issuer}/ssf`;
  return {
    spec_version: '1_0',
    issuer,
    jwks_uri: issuer + issuerPaths.jwks,
    delivery_methods_supported: Object.values(deliveryMethods),
    configuration_endpoint: `${ssf}/streams`,
    status_endpoint: `${ssf}/status`,
    add_subject_endpoint: `${ssf}/subjects/add`,
    remove_subject_endpoint: `${ssf}/subjects/remove`,
    verification_endpoint: `${ssf}/verification`,
    authorization_schemes: [{ spec_urn: 'urn:ietf:rfc:6749' }],
    default_subjects: defaultSubjects,
  };
}

import { Controller, Res } from '@nestjs/common';
import type { FastifyReply } from 'fastify';
import { z } from 'zod';
import { organizationLogo } from '@holdfast/contracts';
import { endpoint, type InputOf } from '@holdfast/contracts/http';
import { Bus, systemContext } from '@holdfast/messaging';
import { mediaTypes } from '../edge/media-types.js';
import { Route } from '../endpoints/route.js';
import { Input } from '../requests/input.js';

const logoEndpoint = endpoint({
  id: 'getLogo',
  method: 'GET',
  path: '/o/{shortId}/logos/{logoId}',
  public: 'a picture on the pages of the organization',
  limit: 'page',
  tag: 'Pages',
  unrecorded: 'a picture on pages',
  internal: 'a picture on pages',
  summary: 'Logo of an organization',
  params: z.object({
    shortId: z.string().describe("The organization's short identifier"),
    logoId: z
      .string()
      .regex(/^[0-9a-f]{32}$/, 'must be the id of a logo')
      .describe('Id of the logo'),
  }),
  responses: { 200: { description: 'The logo' } },
  errors: ['not_found', 'unavailable'],
});

/** Logos are on our own origin, so that nobody else learns who opens a page. Directory has encoded their pixels. */
@Controller()
export class LogosController {
  constructor(private readonly bus: Bus) {}

  @Route(logoEndpoint)
  async logo(@Input() { params }: InputOf<typeof logoEndpoint>, @Res() reply: FastifyReply): Promise<void> {
    const { png } = await this.bus.request(organizationLogo, params, systemContext('gateway'));
    void reply
      .header('content-security-policy', "default-src 'none'")
      // The id is the hash of the content.
      .header('cache-control', 'public, max-age=31536000, immutable')
      .type(mediaTypes.png)
      .send(Buffer.from(png, 'base64'));
  }
}

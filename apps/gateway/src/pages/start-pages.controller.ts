import { Controller, Req, Res } from '@nestjs/common';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { z } from 'zod';
import { endpoint } from '@holdfast/contracts/http';
import { AppError, htmlPagePolicy } from '@holdfast/platform';
import { OrganizationProfiles } from '../access/organization-profiles.js';
import { mediaTypes } from '../edge/media-types.js';
import { isNavigation } from '../edge/problems/error-page.js';
import { Route } from '../endpoints/route.js';
import { organizationPage, platformPage } from './start-pages.js';

const page = {
  method: 'GET',
  public: 'a page for people who come without a link',
  limit: 'page',
  tag: 'Pages',
  unrecorded: 'a page that only says what this is',
  internal: 'a page',
} as const;

const platformPageEndpoint = endpoint({
  ...page,
  id: 'getPlatformPage',
  path: '/',
  summary: 'What this is',
  responses: { 200: { description: 'The page' } },
  errors: ['not_found'],
});

const organizationPageEndpoint = endpoint({
  ...page,
  id: 'getOrganizationPage',
  path: '/o/{shortId}',
  summary: 'An organization, and where its customers begin and get help',
  params: z.object({ shortId: z.string().describe("The organization's short identifier") }),
  responses: { 200: { description: 'The page' } },
  errors: ['not_found', 'unknown_organization', 'unavailable'],
});

/** Pages for browsers at the addresses that people type. A program gets 404, as at any address without an API. */
@Controller()
export class StartPagesController {
  constructor(private readonly organizations: OrganizationProfiles) {}

  @Route(platformPageEndpoint)
  platform(@Req() request: FastifyRequest, @Res() reply: FastifyReply): void {
    requireNavigation(request);
    send(reply, platformPage());
  }

  @Route(organizationPageEndpoint)
  async organization(@Req() request: FastifyRequest, @Res() reply: FastifyReply): Promise<void> {
    requireNavigation(request);
    const profile = await this.organizations.find((request.params as { shortId: string }).shortId);
    if (!profile) throw new AppError('unknown_organization');
    send(reply, organizationPage(profile));
  }
}

function requireNavigation(request: FastifyRequest): void {
  if (!isNavigation(request)) throw new AppError('not_found');
}

function send(reply: FastifyReply, html: string): void {
  void reply
    .header('content-security-policy', htmlPagePolicy())
    .header('vary', 'accept, sec-fetch-mode')
    .type(mediaTypes.html)
    .send(html);
}

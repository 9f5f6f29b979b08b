import { Controller, Req, Res } from '@nestjs/common';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { z } from 'zod';
import { languageOfHeader, shownOrganizationSchema, type ShownOrganization } from '@holdfast/contracts';
import { endpoint, type InputOf } from '@holdfast/contracts/http';
import { AppError, htmlPagePolicy, type PageOrganization } from '@holdfast/platform';
import { OrganizationProfiles, shownOrganizationOf } from '../access/organization-profiles.js';
import { mediaTypes } from '../edge/media-types.js';
import { isNavigation } from '../edge/problems/error-page.js';
import { Route } from '../endpoints/route.js';
import { Input } from '../requests/input.js';
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

const shownOrganizationEndpoint = endpoint({
  ...page,
  id: 'getShownOrganization',
  path: '/o/{shortId}/api/organization',
  summary: 'Name of an organization, and where its customers begin and get help',
  description: 'Pages show it when they know nothing else, such as for a damaged link.',
  internal: 'called by the pages',
  unrecorded: 'the same as on the page of the organization',
  params: z.object({ shortId: z.string().describe("The organization's short identifier") }),
  responses: {
    200: { description: 'The organization', schema: shownOrganizationSchema.meta({ id: 'ShownOrganization' }) },
  },
  errors: ['unknown_organization', 'unavailable'],
  examples: { response: { name: 'Acme', startUrl: 'https://shop.example/', helpUrl: 'https://shop.example/help' } },
});

/** Pages for browsers at the addresses that people type. A program gets 404, as at any address without an API. */
@Controller()
export class StartPagesController {
  constructor(private readonly organizations: OrganizationProfiles) {}

  @Route(platformPageEndpoint)
  platform(@Req() request: FastifyRequest, @Res() reply: FastifyReply): void {
    requireNavigation(request);
    send(reply, platformPage(languageOfHeader(request.headers['accept-language'])));
  }

  @Route(organizationPageEndpoint)
  async organization(@Req() request: FastifyRequest, @Res() reply: FastifyReply): Promise<void> {
    requireNavigation(request);
    const profile = await this.organizations.find((request.params as { shortId: string }).shortId);
    if (!profile) throw new AppError('unknown_organization');
    send(reply, organizationPage(profile, languageOfHeader(request.headers['accept-language'])), profile);
  }

  @Route(shownOrganizationEndpoint)
  async shown(@Input() { params: { shortId } }: InputOf<typeof shownOrganizationEndpoint>): Promise<ShownOrganization> {
    const profile = await this.organizations.find(shortId);
    if (!profile) throw new AppError('unknown_organization');
    return shownOrganizationOf(profile);
  }
}

function requireNavigation(request: FastifyRequest): void {
  if (!isNavigation(request)) throw new AppError('not_found');
}

function send(reply: FastifyReply, html: string, organization?: PageOrganization): void {
  void reply
    .header('content-security-policy', htmlPagePolicy(organization))
    .header('vary', 'accept, accept-language, sec-fetch-mode')
    .type(mediaTypes.html)
    .send(html);
}

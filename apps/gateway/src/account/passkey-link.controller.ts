import { Controller, Inject, Req, Res, UseGuards } from '@nestjs/common';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { z } from 'zod';
import {
  beginLinkedPasskey,
  claimTokenSchema,
  completeLinkedPasskey,
  instant,
  readPasskeyLink,
  shownOrganizationSchema,
  type organizationProfile,
  type ReplyOf,
} from '@holdfast/contracts';
import { endpoint, type InputOf } from '@holdfast/contracts/http';
import { Bus } from '@holdfast/messaging';
import { AppError } from '@holdfast/platform';
import { CONFIG } from '@holdfast/service';
import { OrganizationProfiles, shownOrganizationOf } from '../access/organization-profiles.js';
import { ClaimBrowser } from '../claim/claim-browser.js';
import { ClaimGuard } from '../claim/claim.guard.js';
import { linkExamples, linkRequests, optionsResponse, organizationOfLink } from '../claim/link-requests.js';
import type { GatewayConfig } from '../config.js';
import { customerContextOf } from '../edge/request-context.js';
import { Route } from '../endpoints/route.js';
import { Input } from '../requests/input.js';

const base = '/o/{shortId}/api/passkey';
const { isPublic, tokenNote, params, token, completion, commonErrors } = linkRequests(
  'passkey',
  'unknown_passkey_link',
);
const shared = {
  method: 'POST' as const,
  public: isPublic,
  limit: 'claim' as const,
  tag: 'Account',
  internal: 'the page of the link calls it',
  params,
};
const closedErrors = ['passkey_link_used', 'passkey_link_expired'] as const;

const readEndpoint = endpoint({
  ...shared,
  id: 'readPasskeyLink',
  path: base,
  action: 'passkey.begin',
  countAs: 'passkey.begin',
  summary: 'Read a link by which a further device makes a passkey',
  description: `Changes nothing. ${tokenNote}`,
  body: z.strictObject({ token }),
  responses: {
    200: {
      description: 'Whether a passkey can be made with it',
      schema: z.strictObject({
        organization: shownOrganizationSchema,
        state: z.enum(['open', 'used', 'expired']),
        expiresAt: instant,
      }),
    },
  },
  errors: commonErrors,
  examples: {
    body: linkExamples.token,
    response: { organization: { name: 'Acme' }, state: 'open', expiresAt: '2026-11-21T10:12:11.480Z' },
  },
});

const optionsEndpoint = endpoint({
  ...shared,
  id: 'getLinkedPasskeyOptions',
  path: `${base}/options`,
  action: 'passkey.begin',
  countAs: 'passkey.begin',
  summary: 'Begin to make a passkey with a link',
  description: tokenNote,
  body: z.strictObject({ token }),
  responses: { 200: optionsResponse('passkey', 'LinkedPasskeyOptions') },
  errors: [...commonErrors, ...closedErrors, 'invalid_state'],
  examples: { body: linkExamples.token, response: linkExamples.options },
});

const completeEndpoint = endpoint({
  ...shared,
  id: 'completeLinkedPasskey',
  path: `${base}/complete`,
  action: 'passkey.begin',
  countAs: 'passkey.begin',
  summary: 'Send the passkey, which waits for its confirmation on the account page',
  description: tokenNote,
  body: z.strictObject(completion),
  responses: {
    200: {
      description: 'The code that the account page shows as well',
      schema: z.strictObject({ code: z.string() }),
    },
  },
  errors: [...commonErrors, ...closedErrors, 'invalid_state', 'ceremony_expired', 'passkey_invalid'],
  examples: { body: linkExamples.completion, response: { code: '7F3K' } },
});

/** The JSON routes of the page that a further device opens. The token of the link authorizes them. */
@Controller()
@UseGuards(ClaimGuard)
export class PasskeyLinkController {
  private readonly browser: ClaimBrowser;

  constructor(
    private readonly bus: Bus,
    private readonly organizations: OrganizationProfiles,
    @Inject(CONFIG) { BASE_URL }: GatewayConfig,
  ) {
    this.browser = new ClaimBrowser(BASE_URL, 'passkey');
  }

  @Route(readEndpoint)
  async read(
    @Input() { params: { shortId }, body }: InputOf<typeof readEndpoint>,
    @Req() request: FastifyRequest,
  ): Promise<unknown> {
    const organization = shownOrganizationOf(await this.organizationOf(shortId, body.token));
    return { organization, ...(await this.bus.request(readPasskeyLink, body, customerContextOf(request, shortId))) };
  }

  @Route(optionsEndpoint)
  async begin(
    @Input() { params: { shortId }, body: { token } }: InputOf<typeof optionsEndpoint>,
    @Req() request: FastifyRequest,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<unknown> {
    const { name, relyingParty } = await this.organizationOf(shortId, token);
    const browser = this.browser.begin(request, reply, shortId);
    return this.bus.request(
      beginLinkedPasskey,
      { token, browser, organizationName: name, ...(relyingParty && { relyingParty }) },
      customerContextOf(request, shortId),
    );
  }

  @Route(completeEndpoint)
  async complete(
    @Input() { params: { shortId }, body }: InputOf<typeof completeEndpoint>,
    @Req() request: FastifyRequest,
  ): Promise<unknown> {
    const { relyingParty } = await this.organizationOf(shortId, body.token);
    const browser = this.browser.end(request, shortId);
    if (browser === undefined) throw new AppError('ceremony_expired');
    const completion = { ...body, browser, ...(relyingParty && { relyingParty }) };
    return this.bus.request(completeLinkedPasskey, completion, customerContextOf(request, shortId));
  }

  private organizationOf(shortId: string, token: string): Promise<ReplyOf<typeof organizationProfile>> {
    const mayExist = claimTokenSchema.safeParse(token).success;
    return organizationOfLink(this.organizations, shortId, mayExist, 'unknown_passkey_link');
  }
}

import { Controller, Inject, Req, Res, UseGuards } from '@nestjs/common';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { z } from 'zod';
import {
  beginClaim,
  claimSchema,
  claimTokenSchema,
  completeClaim,
  getClaim,
  shownOrganizationSchema,
  type ErrorCode,
  type organizationProfile,
  type ReplyOf,
} from '@holdfast/contracts';
import { endpoint, type InputOf } from '@holdfast/contracts/http';
import { Bus } from '@holdfast/messaging';
import { CONFIG } from '@holdfast/service';
import { OrganizationProfiles, shownOrganizationOf } from '../access/organization-profiles.js';
import type { GatewayConfig } from '../config.js';
import { isRecordedBy } from '../edge/recording.js';
import { anonymousContextOf, customerContextOf } from '../edge/request-context.js';
import { Route } from '../endpoints/route.js';
import { Input } from '../requests/input.js';
import { ClaimBrowser } from './claim-browser.js';
import { ClaimGuard } from './claim.guard.js';
import { completionReply, linkExamples, linkRequests, optionsResponse, organizationOfLink } from './link-requests.js';

const tag = 'Claim';
const { isPublic, tokenNote, params, token, completion, commonErrors } = linkRequests('claim', 'unknown_claim');
const tokenBody = z.strictObject({ token }).meta({ id: 'ClaimToken' });
/** Only a genuine link leads to these errors, so each gets an audit record of its own. */
const closedOfferErrors: ErrorCode[] = ['claim_spent', 'claim_expired', 'claim_withdrawn'];

export const claimEndpoint = endpoint({
  id: 'getClaim',
  method: 'POST',
  public: isPublic,
  limit: 'claim',
  path: '/o/{shortId}/api/claim',
  tag,
  summary: 'Read a claim link',
  description: `What the claim page shows. Changes nothing, however often it is called. ${tokenNote}`,
  action: 'credential.claim',
  countAs: 'claim.read',
  params,
  body: tokenBody,
  responses: {
    200: {
      description: 'The offer of the link, also when it can no longer be claimed: see `state`',
      schema: claimSchema
        .extend({
          organization: shownOrganizationSchema.describe('Who made the offer'),
        })
        .meta({ id: 'ClaimLink' }),
    },
  },
  errors: commonErrors,
  examples: {
    body: linkExamples.token,
    response: {
      organization: { name: 'Acme' },
      credentialType: { name: 'customer', display: 'Customer' },
      state: 'open',
      recovery: false,
      expiresAt: '2026-11-24T09:30:00.000Z',
      returnUrl: 'https://shop.example/welcome',
    },
  },
});

export const claimOptionsEndpoint = endpoint({
  id: 'getClaimOptions',
  method: 'POST',
  public: isPublic,
  limit: 'claim',
  path: '/o/{shortId}/api/claim/options',
  tag,
  summary: 'Begin a claim',
  description:
    `Options for \`navigator.credentials.create()\`, valid for five minutes and one response, in this browser ` +
    `only: the completion needs the cookie of this response. ${tokenNote}`,
  action: 'credential.claim',
  countAs: 'claim.begin',
  recordEach: closedOfferErrors,
  params,
  body: tokenBody,
  responses: {
    200: optionsResponse('claim', 'ClaimOptions'),
  },
  errors: [...commonErrors, ...closedOfferErrors, 'invalid_state'],
  examples: {
    body: linkExamples.token,
    response: linkExamples.options,
  },
});

export const completeClaimEndpoint = endpoint({
  id: 'completeClaim',
  method: 'POST',
  public: isPublic,
  limit: 'claim',
  path: '/o/{shortId}/api/claim/complete',
  tag,
  summary: 'Complete a claim',
  description:
    'Stores the new passkey and issues the credential, once: the first completion wins. Needs the cookie of the ' +
    `response with the options. It does not sign the customer in. ${tokenNote}`,
  action: 'credential.claim',
  recordEach: [...closedOfferErrors, 'ceremony_expired', 'passkey_invalid', 'invalid_state'],
  params,
  body: z.strictObject(completion).meta({ id: 'ClaimCompletion' }),
  responses: {
    200: {
      description: 'The credential is issued',
      schema: z
        .strictObject({
          returnUrl: z.url().optional().describe('Where to continue, if the offer has a return URL'),
          ...completionReply,
        })
        .meta({ id: 'Claimed' }),
    },
  },
  errors: [...commonErrors, ...closedOfferErrors, 'ceremony_expired', 'passkey_invalid', 'invalid_state'],
  examples: {
    body: linkExamples.completion,
    response: { returnUrl: 'https://shop.example/welcome' },
  },
});

/** The JSON routes of the claim page (product §2). The token of the claim link authorizes them. */
@Controller()
@UseGuards(ClaimGuard)
export class ClaimController {
  private readonly browser: ClaimBrowser;

  constructor(
    private readonly bus: Bus,
    private readonly organizations: OrganizationProfiles,
    @Inject(CONFIG) { BASE_URL }: GatewayConfig,
  ) {
    this.browser = new ClaimBrowser(BASE_URL, 'claim');
  }

  @Route(claimEndpoint)
  async read(
    @Input() { params, body }: InputOf<typeof claimEndpoint>,
    @Req() request: FastifyRequest,
  ): Promise<unknown> {
    const organization = shownOrganizationOf(await this.organizationOf(params.shortId, body.token));
    const claim = await this.bus.request(getClaim, { token: body.token }, anonymousContextOf(request, params.shortId));
    return { organization, ...claim };
  }

  @Route(claimOptionsEndpoint)
  async begin(
    @Input() { params: { shortId }, body: { token } }: InputOf<typeof claimOptionsEndpoint>,
    @Req() request: FastifyRequest,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<unknown> {
    const { name, relyingParty } = await this.organizationOf(shortId, token);
    const browser = this.browser.begin(request, reply, shortId);
    return this.bus.request(
      beginClaim,
      { token, organizationName: name, browser, ...(relyingParty && { relyingParty }) },
      anonymousContextOf(request, shortId),
    );
  }

  @Route(completeClaimEndpoint)
  async complete(
    @Input() { params, body }: InputOf<typeof completeClaimEndpoint>,
    @Req() request: FastifyRequest,
  ): Promise<unknown> {
    const { relyingParty } = await this.organizationOf(params.shortId, body.token);
    const browser = this.browser.end(request, params.shortId);
    const command = { ...body, ...(browser !== undefined && { browser }), ...(relyingParty && { relyingParty }) };
    const { subject: _, ...claimed } = await this.bus.request(
      completeClaim,
      command,
      customerContextOf(request, params.shortId),
    );
    isRecordedBy(request, 'handler');
    return claimed;
  }

  private organizationOf(shortId: string, token: string): Promise<ReplyOf<typeof organizationProfile>> {
    return organizationOfLink(this.organizations, shortId, claimTokenSchema.safeParse(token).success, 'unknown_claim');
  }
}

import { Controller, HttpCode, Inject, Req, Res, UseGuards } from '@nestjs/common';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { z } from 'zod';
import {
  beginClaim,
  claimSchema,
  claimTokenSchema,
  completeClaim,
  getClaim,
  webAuthnJson,
  type ErrorCode,
  type organizationProfile,
  type ReplyOf,
} from '@holdfast/contracts';
import { Bus } from '@holdfast/messaging';
import { AppError } from '@holdfast/platform';
import { CONFIG } from '@holdfast/service';
import { OrganizationProfiles } from '../access/organization-profiles.js';
import type { GatewayConfig } from '../config.js';
import { anonymousContextOf, customerContextOf } from '../edge/request-context.js';
import { endpoint, Route, type InputOf } from '../endpoints/endpoint.js';
import { Input } from '../endpoints/input.js';
import { ClaimBrowser } from './claim-browser.js';
import { ClaimGuard } from './claim.guard.js';

const tag = 'Claim';
const forms = 'Public: the token from the link is what opens it, in the body and never in an address.';
// Whatever is not the form of a short id or a token is answered like one that does not exist: a cut-off link is no
// other mistake.
const params = z.strictObject({
  shortId: z.string().max(200).describe("The organization's short identifier, as it appears in the claim link"),
});
const token = z.string().max(500).describe('What stands after the # of the claim link');
const always: ErrorCode[] = [
  'invalid_request',
  'unknown_claim',
  'cross_site_request',
  'rate_limited',
  'payload_too_large',
  'unsupported_media_type',
  'unavailable',
  'internal',
];
/** Only a true link leads here, so each is a record of its own. */
const ended: ErrorCode[] = ['claim_spent', 'claim_expired', 'claim_withdrawn'];

export const claimEndpoint = endpoint({
  id: 'getClaim',
  method: 'POST',
  limit: 'claim',
  path: '/o/{shortId}/api/claim',
  tag,
  summary: 'Look at a claim link',
  description: `What the claim page shows. Changes nothing, however often it is asked. ${forms}`,
  action: 'credential.claim',
  countAs: 'claim.read',
  params,
  body: z.strictObject({ token }).meta({ id: 'ClaimToken' }),
  answers: {
    200: {
      description: 'What the link leads to; also when that is over, see `state`',
      schema: claimSchema
        .extend({
          organization: z.strictObject({ name: z.string().describe('For people') }).describe('Who made the offer'),
        })
        .meta({ id: 'ClaimLink' }),
    },
  },
  errors: always,
});

export const claimOptionsEndpoint = endpoint({
  id: 'getClaimOptions',
  method: 'POST',
  limit: 'claim',
  path: '/o/{shortId}/api/claim/options',
  tag,
  summary: 'Begin a claim',
  description: `Options for \`navigator.credentials.create()\`, good for five minutes and one answer, in the browser that asked: the cookie of this response must come with the completion. ${forms}`,
  action: 'credential.claim',
  countAs: 'claim.begin',
  recordEach: ended,
  params,
  body: z.strictObject({ token }).meta({ id: 'ClaimToken' }),
  answers: {
    200: {
      description: 'The options',
      headers: { 'Set-Cookie': 'Secret of the browser, `HttpOnly`, for `…/claim/complete`' },
      schema: z
        .strictObject({
          options: webAuthnJson.describe('PublicKeyCredentialCreationOptionsJSON (WebAuthn Level 3 §5.1.9)'),
        })
        .meta({ id: 'ClaimOptions' }),
    },
  },
  errors: [...always, ...ended, 'invalid_state'],
});

export const completeClaimEndpoint = endpoint({
  id: 'completeClaim',
  method: 'POST',
  limit: 'claim',
  path: '/o/{shortId}/api/claim/complete',
  tag,
  summary: 'Complete a claim',
  description: `Keeps the new passkey and issues the credential: once, whoever is first, and with the cookie that came with the options. It signs nobody in. ${forms}`,
  action: 'credential.claim',
  recordEach: [...ended, 'ceremony_expired', 'passkey_invalid', 'invalid_state'],
  params,
  body: z
    .strictObject({
      token,
      response: webAuthnJson.describe(
        'RegistrationResponseJSON (WebAuthn Level 3 §5.1.8), as the authenticator gave it',
      ),
    })
    .meta({ id: 'ClaimCompletion' }),
  answers: {
    200: {
      description: 'The credential is issued',
      schema: z
        .strictObject({ returnUrl: z.url().optional().describe('Where to go on, when the app said so in its offer') })
        .meta({ id: 'Claimed' }),
    },
  },
  errors: [...always, ...ended, 'ceremony_expired', 'passkey_invalid', 'invalid_state'],
});

/** The JSON routes of the claim page (product §2). No token of ours is asked for, the one in the link is the key. */
@Controller()
@UseGuards(ClaimGuard)
export class ClaimController {
  private readonly browser: ClaimBrowser;

  constructor(
    private readonly bus: Bus,
    private readonly organizations: OrganizationProfiles,
    @Inject(CONFIG) { BASE_URL }: GatewayConfig,
  ) {
    this.browser = new ClaimBrowser(BASE_URL);
  }

  @Route(claimEndpoint)
  @HttpCode(200)
  async look(
    @Input() { params, body }: InputOf<typeof claimEndpoint>,
    @Req() request: FastifyRequest,
  ): Promise<unknown> {
    const { name } = await this.organizationOf(params.shortId, body.token);
    const claim = await this.bus.request(getClaim, { token: body.token }, anonymousContextOf(request, params.shortId));
    return { organization: { name }, ...claim };
  }

  @Route(claimOptionsEndpoint)
  @HttpCode(200)
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
  @HttpCode(200)
  async complete(
    @Input() { params, body }: InputOf<typeof completeClaimEndpoint>,
    @Req() request: FastifyRequest,
  ): Promise<unknown> {
    const { relyingParty } = await this.organizationOf(params.shortId, body.token);
    const browser = this.browser.end(request, params.shortId);
    const command = { ...body, ...(browser !== undefined && { browser }), ...(relyingParty && { relyingParty }) };
    const { returnUrl } = await this.bus.request(completeClaim, command, customerContextOf(request, params.shortId));
    request.call.audited = true;
    return { ...(returnUrl && { returnUrl }) };
  }

  /** One answer for all that leads nowhere: no such organization, a suspended one, no such token. */
  private async organizationOf(shortId: string, token: string): Promise<ReplyOf<typeof organizationProfile>> {
    const organization = claimTokenSchema.safeParse(token).success ? await this.organizations.find(shortId) : undefined;
    if (!organization) throw new AppError('unknown_claim');
    return organization;
  }
}

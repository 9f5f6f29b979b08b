import { Controller, Inject, Req, Res, UseGuards } from '@nestjs/common';
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
import { Input } from '../requests/input.js';
import { ClaimBrowser } from './claim-browser.js';
import { ClaimGuard } from './claim.guard.js';
import { registrationExample } from './registration-example.js';

const tag = 'Claim';
const tokenNote = 'Needs no access token but the token of the claim link, in the body and never in a URL.';
const isPublic = 'the token of the claim link authorizes it';
// Any text is accepted as short id and token. One that cannot exist gets the same 404 as one that does not exist, so
// that a truncated link gets the same error as a wrong one.
const params = z.strictObject({
  shortId: z.string().max(200).describe("The organization's short identifier, as it appears in the claim link"),
});
const token = z.string().max(500).describe('The part of the claim link after `#`');
const tokenExample = 'vQ3mB0yq1Tn8d5cJ7wX2kZ9rLhFpEsGaUoNiYtRbVxM';
const commonErrors: ErrorCode[] = [
  'invalid_request',
  'unknown_claim',
  'cross_site_request',
  'rate_limited',
  'payload_too_large',
  'unsupported_media_type',
  'unavailable',
  'internal',
];
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
  body: z.strictObject({ token }).meta({ id: 'ClaimToken' }),
  responses: {
    200: {
      description: 'The offer of the link, also when it can no longer be claimed: see `state`',
      schema: claimSchema
        .extend({
          organization: z.strictObject({ name: z.string().describe('For people') }).describe('Who made the offer'),
        })
        .meta({ id: 'ClaimLink' }),
    },
  },
  errors: commonErrors,
  examples: {
    body: { link: { summary: 'The part of the link after `#`', value: { token: tokenExample } } },
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
  body: z.strictObject({ token }).meta({ id: 'ClaimToken' }),
  responses: {
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
  errors: [...commonErrors, ...closedOfferErrors, 'invalid_state'],
  examples: {
    body: { link: { summary: 'The part of the link after `#`', value: { token: tokenExample } } },
    response: {
      options: {
        rp: { id: 'id.example', name: 'Acme' },
        challenge: 'pY1b3lqk0yQmXf3cVgq0n2o5m8uR7sT4wZ6xA9dE1fG',
        user: { id: 'n7Yw0g', name: 'Acme · 7F3K', displayName: '' },
        pubKeyCredParams: [{ type: 'public-key', alg: -7 }],
      },
    },
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
  body: z
    .strictObject({
      token,
      response: webAuthnJson.describe('RegistrationResponseJSON (WebAuthn Level 3 §5.1.8) of the authenticator'),
    })
    .meta({ id: 'ClaimCompletion' }),
  responses: {
    200: {
      description: 'The credential is issued',
      schema: z
        .strictObject({ returnUrl: z.url().optional().describe('Where to continue, if the offer has a return URL') })
        .meta({ id: 'Claimed' }),
    },
  },
  errors: [...commonErrors, ...closedOfferErrors, 'ceremony_expired', 'passkey_invalid', 'invalid_state'],
  examples: {
    body: {
      passkey: {
        summary: "With the authenticator's response",
        value: { token: tokenExample, response: registrationExample },
      },
    },
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
    const { name } = await this.organizationOf(params.shortId, body.token);
    const claim = await this.bus.request(getClaim, { token: body.token }, anonymousContextOf(request, params.shortId));
    return { organization: { name }, ...claim };
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
    const { returnUrl } = await this.bus.request(completeClaim, command, customerContextOf(request, params.shortId));
    request.requestContext.audited = true;
    return { ...(returnUrl && { returnUrl }) };
  }

  /** The same error for an unknown organization, a suspended one and an unknown token: none can be probed. */
  private async organizationOf(shortId: string, token: string): Promise<ReplyOf<typeof organizationProfile>> {
    const organization = claimTokenSchema.safeParse(token).success ? await this.organizations.find(shortId) : undefined;
    if (!organization) throw new AppError('unknown_claim');
    return organization;
  }
}

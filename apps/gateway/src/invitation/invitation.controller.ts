import { Controller, Inject, Req, Res, UseGuards } from '@nestjs/common';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { z } from 'zod';
import {
  beginInvitation,
  completeInvitation,
  getInvitation,
  invitationLinkSchema,
  invitationTokenSchema,
  shownOrganizationSchema,
  type ErrorCode,
  type organizationProfile,
  type ReplyOf,
} from '@holdfast/contracts';
import { endpoint, type InputOf } from '@holdfast/contracts/http';
import { Bus } from '@holdfast/messaging';
import { CONFIG } from '@holdfast/service';
import { OrganizationProfiles, shownOrganizationOf } from '../access/organization-profiles.js';
import { ClaimBrowser } from '../claim/claim-browser.js';
import { ClaimGuard } from '../claim/claim.guard.js';
import {
  completionReply,
  linkExamples,
  linkRequests,
  optionsResponse,
  organizationOfLink,
} from '../claim/link-requests.js';
import type { GatewayConfig } from '../config.js';
import { isRecordedBy } from '../edge/recording.js';
import { anonymousContextOf, customerContextOf } from '../edge/request-context.js';
import { Route } from '../endpoints/route.js';
import { Input } from '../requests/input.js';

const tag = 'Invitation';
const { isPublic, tokenNote, params, token, completion, commonErrors } = linkRequests(
  'invitation',
  'unknown_invitation',
);
const tokenBody = z.strictObject({ token }).meta({ id: 'InvitationToken' });
/** Only a genuine link leads to these errors, so each gets an audit record of its own. */
const closedErrors: ErrorCode[] = ['invitation_accepted', 'invitation_expired', 'invitation_withdrawn'];

const getInvitationEndpoint = endpoint({
  id: 'getInvitation',
  method: 'POST',
  public: isPublic,
  limit: 'claim',
  path: '/o/{shortId}/api/invitation',
  tag,
  summary: 'Read an invitation link',
  description:
    'What the invitation page shows. It says nothing about the person, since a link may have reached somebody else. ' +
    `Changes nothing, however often it is called. ${tokenNote}`,
  action: 'user.activate',
  countAs: 'invitation.read',
  params,
  body: tokenBody,
  responses: {
    200: {
      description: 'The invitation of the link, also when it can no longer be accepted: see `state`',
      schema: invitationLinkSchema
        .extend({
          organization: shownOrganizationSchema
            .pick({ name: true, accentColor: true, logoPath: true })
            .describe('Who invites'),
        })
        .meta({ id: 'InvitationLink' }),
    },
  },
  errors: commonErrors,
  examples: {
    body: linkExamples.token,
    response: {
      organization: { name: 'Acme' },
      state: 'open',
      recovery: false,
      expiresAt: '2026-11-24T09:30:00.000Z',
    },
  },
});

const invitationOptionsEndpoint = endpoint({
  id: 'getInvitationOptions',
  method: 'POST',
  public: isPublic,
  limit: 'claim',
  path: '/o/{shortId}/api/invitation/options',
  tag,
  summary: 'Begin to accept an invitation',
  description:
    `Options for \`navigator.credentials.create()\`, valid for five minutes and one response, in this browser ` +
    `only: the completion needs the cookie of this response. ${tokenNote}`,
  action: 'user.activate',
  countAs: 'invitation.begin',
  recordEach: closedErrors,
  params,
  body: tokenBody,
  responses: {
    200: optionsResponse('invitation', 'InvitationOptions'),
  },
  errors: [...commonErrors, ...closedErrors],
  examples: {
    body: linkExamples.token,
    response: linkExamples.options,
  },
});

const completeInvitationEndpoint = endpoint({
  id: 'completeInvitation',
  method: 'POST',
  public: isPublic,
  limit: 'claim',
  path: '/o/{shortId}/api/invitation/complete',
  tag,
  summary: 'Accept an invitation',
  description:
    'Stores the new passkey and activates the person, once: the first completion wins. ' +
    'A recovery replaces all earlier ' +
    'passkeys and ends sessions and tokens. Needs the cookie of the response with the options. It does not sign the ' +
    `person in. ${tokenNote}`,
  action: 'user.activate',
  recordEach: [...closedErrors, 'ceremony_expired', 'passkey_invalid'],
  params,
  body: z.strictObject(completion).meta({ id: 'InvitationCompletion' }),
  responses: {
    200: {
      description: 'The person is active',
      schema: z.strictObject(completionReply).meta({ id: 'InvitationAccepted' }),
    },
  },
  errors: [...commonErrors, ...closedErrors, 'ceremony_expired', 'passkey_invalid'],
  examples: {
    body: linkExamples.completion,
    response: linkExamples.replaced,
  },
});

/** The JSON routes of the invitation page. The token of the link authorizes them. */
@Controller()
@UseGuards(ClaimGuard)
export class InvitationController {
  private readonly browser: ClaimBrowser;

  constructor(
    private readonly bus: Bus,
    private readonly organizations: OrganizationProfiles,
    @Inject(CONFIG) { BASE_URL }: GatewayConfig,
  ) {
    this.browser = new ClaimBrowser(BASE_URL, 'invitation');
  }

  @Route(getInvitationEndpoint)
  async read(
    @Input() { params: { shortId }, body: { token } }: InputOf<typeof getInvitationEndpoint>,
    @Req() request: FastifyRequest,
  ): Promise<unknown> {
    // The addresses are for customers.
    const {
      startUrl: _,
      helpUrl: __,
      ...organization
    } = shownOrganizationOf(await this.organizationOf(shortId, token));
    const invitation = await this.bus.request(getInvitation, { token }, anonymousContextOf(request, shortId));
    return { organization, ...invitation };
  }

  @Route(invitationOptionsEndpoint)
  async begin(
    @Input() { params: { shortId }, body: { token } }: InputOf<typeof invitationOptionsEndpoint>,
    @Req() request: FastifyRequest,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<unknown> {
    const { name, relyingParty } = await this.organizationOf(shortId, token);
    const browser = this.browser.begin(request, reply, shortId);
    return this.bus.request(
      beginInvitation,
      { token, organizationName: name, browser, ...(relyingParty && { relyingParty }) },
      anonymousContextOf(request, shortId),
    );
  }

  @Route(completeInvitationEndpoint)
  async complete(
    @Input() { params: { shortId }, body }: InputOf<typeof completeInvitationEndpoint>,
    @Req() request: FastifyRequest,
  ): Promise<unknown> {
    const { relyingParty } = await this.organizationOf(shortId, body.token);
    const browser = this.browser.end(request, shortId);
    const command = { ...body, ...(browser !== undefined && { browser }), ...(relyingParty && { relyingParty }) };
    const { person: _, ...accepted } = await this.bus.request(
      completeInvitation,
      command,
      customerContextOf(request, shortId),
    );
    isRecordedBy(request, 'handler');
    return accepted;
  }

  private organizationOf(shortId: string, token: string): Promise<ReplyOf<typeof organizationProfile>> {
    return organizationOfLink(
      this.organizations,
      shortId,
      invitationTokenSchema.safeParse(token).success,
      'unknown_invitation',
    );
  }
}

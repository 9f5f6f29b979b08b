import { Controller, HttpCode, Req, Res, UseGuards } from '@nestjs/common';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { z } from 'zod';
import {
  challengeSchema,
  presenceChallenge,
  presenceOrigin,
  type ErrorCode,
  type PresenceChallenge,
} from '@holdfast/contracts';
import { Bus } from '@holdfast/messaging';
import { AppError } from '@holdfast/platform';
import { OrganizationProfiles } from '../access/organization-profiles.js';
import { anonymousContextOf } from '../edge/request-context.js';
import { endpoint, Route, type InputOf } from '../endpoints/endpoint.js';
import { Input } from '../endpoints/input.js';
import { PresenceGuard } from './presence.guard.js';

const path = '/o/{shortId}/api/presence/challenge';
const tag = 'Proof of presence';
// Whatever is not the form of a short id is answered like one that does not exist.
const params = z.strictObject({
  shortId: z.string().max(200).describe("The organization's short identifier, as it appears in its issuer"),
});
const query = z.strictObject({
  client_id: z.string().min(1).max(64).describe('Client ID of the app that will make the offer'),
});
const errors: ErrorCode[] = ['invalid_request', 'unknown_app', 'rate_limited', 'unavailable', 'internal'];
const cors = {
  'Access-Control-Allow-Origin':
    'The origin that asked, when it is one of the app: of its redirect URIs, or registered beside them',
  Vary: '`Origin`',
};

export const presenceChallengeEndpoint = endpoint({
  id: 'getPresenceChallenge',
  method: 'GET',
  limit: 'presence',
  path,
  tag,
  summary: 'Get a challenge for a sign-up form',
  description:
    'What the ALTCHA widget on the form asks for and solves: name this address in its `challenge` attribute. Its answer goes to your backend with the form, and from there ' +
    'into `presence` of the offer. Good for ten minutes, for offers of this app alone, and for one. Public; pages of other origins than those of the app cannot read it.',
  action: 'presence.challenge',
  countAs: 'presence.challenge',
  params,
  query,
  answers: { 200: { description: 'A new challenge', schema: challengeSchema, headers: cors } },
  errors,
});

export const presencePreflightEndpoint = endpoint({
  id: 'preflightPresenceChallenge',
  method: 'OPTIONS',
  limit: 'presence',
  path,
  tag,
  summary: 'What a browser asks first (CORS)',
  unrecorded: 'a question of the browser, before any call',
  params,
  query,
  answers: { 204: { description: 'Which origin may ask', headers: cors } },
  errors,
});

/** Public (product §2), since it is the visitor's browser that asks. */
@Controller()
@UseGuards(PresenceGuard)
export class PresenceController {
  constructor(
    private readonly bus: Bus,
    private readonly organizations: OrganizationProfiles,
  ) {}

  @Route(presenceChallengeEndpoint)
  async challenge(
    @Input() { params: { shortId }, query: { client_id: clientId } }: InputOf<typeof presenceChallengeEndpoint>,
    @Req() request: FastifyRequest,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<PresenceChallenge> {
    await this.requireOrganization(shortId);
    const { challenge, allowedOrigin } = await this.bus.request(
      presenceChallenge,
      { clientId, ...originOf(request) },
      anonymousContextOf(request, shortId),
    );
    allow(reply, allowedOrigin);
    return challenge;
  }

  @Route(presencePreflightEndpoint)
  @HttpCode(204)
  async preflight(
    @Input() { params: { shortId }, query: { client_id: clientId } }: InputOf<typeof presencePreflightEndpoint>,
    @Req() request: FastifyRequest,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<void> {
    await this.requireOrganization(shortId);
    const { allowedOrigin } = await this.bus.request(
      presenceOrigin,
      { clientId, ...originOf(request) },
      anonymousContextOf(request, shortId),
    );
    allow(reply, allowedOrigin);
    if (allowedOrigin !== undefined) void reply.header('access-control-allow-methods', 'GET');
  }

  /**
   * One answer for all that is not there: organization, suspended organization, app, disabled app, another
   * organization's app.
   */
  private async requireOrganization(shortId: string): Promise<void> {
    if (!(await this.organizations.find(shortId)))
      throw new AppError('unknown_app', 'This organization has no app with this client_id.');
  }
}

function originOf({ headers: { origin } }: FastifyRequest): { origin?: string } {
  return origin !== undefined && origin.length <= 300 ? { origin } : {};
}

/** Without credentials, and for exactly the origin that asked (Fetch, "CORS protocol"). */
function allow(reply: FastifyReply, origin: string | undefined): void {
  if (origin !== undefined) void reply.header('access-control-allow-origin', origin);
}

import { Controller, Req, Res, UseGuards } from '@nestjs/common';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { z } from 'zod';
import {
  challengeSchema,
  presenceChallenge,
  presenceOrigin,
  type ErrorCode,
  type PresenceChallenge,
} from '@holdfast/contracts';
import { endpoint, type InputOf } from '@holdfast/contracts/http';
import { Bus } from '@holdfast/messaging';
import { AppError } from '@holdfast/platform';
import { OrganizationProfiles } from '../access/organization-profiles.js';
import { anonymousContextOf } from '../edge/request-context.js';
import { Route } from '../endpoints/route.js';
import { Input } from '../requests/input.js';
import { PresenceGuard } from './presence.guard.js';

const path = '/o/{shortId}/api/presence/challenge';
const tag = 'Proof of presence';
// Any text is accepted as short id. One that cannot exist gets the same error as one that does not exist.
const params = z.strictObject({
  shortId: z.string().max(200).describe("The organization's short identifier, as it appears in its issuer"),
});
const query = z.strictObject({
  client_id: z.string().min(1).max(64).describe('Client ID of the app that will make the offer'),
});
const errors: ErrorCode[] = ['invalid_request', 'unknown_app', 'rate_limited', 'unavailable', 'internal'];
const cors = {
  'Access-Control-Allow-Origin': 'The origin of the request, if the app registered it or a redirect URI with it',
  Vary: '`Origin`',
};

export const presenceChallengeEndpoint = endpoint({
  id: 'getPresenceChallenge',
  method: 'GET',
  public: "the visitor's browser sends it, before there is a customer",
  limit: 'presence',
  path,
  tag,
  summary: 'Get a challenge for a sign-up form',
  description:
    'Requested and solved by the ALTCHA widget on the form: put this URL into its `challenge` attribute. The ' +
    'solution goes to your backend with the form, and from there into `presence` of the offer. Valid for ten ' +
    'minutes, for one offer of this app. Only pages of the origins of the app can read it.',
  action: 'presence.challenge',
  countAs: 'presence.challenge',
  params,
  query,
  responses: { 200: { description: 'A new challenge', schema: challengeSchema, headers: cors } },
  errors,
  examples: {
    response: {
      parameters: {
        algorithm: 'PBKDF2/SHA-256',
        cost: 5000,
        expiresAt: 1795253400,
        keyLength: 32,
        keyPrefix: '9f2c5d0e7a1b3c4d5e6f708192a3b4c5',
        keySignature: '4a1f…',
        nonce: '5ad1…',
        salt: 'c07e…',
        data: {
          answer: '77b0…',
          client_id: 'app_2VwT9Qm1xKc7LrZ4bNd8Ya',
          id: 'k3Jw0mVq2uXbT8rYh5cNzA',
          org: 'acme',
          purpose: 'offer',
        },
      },
      signature: 'e3b0…',
    },
  },
});

const presencePreflightEndpoint = endpoint({
  id: 'preflightPresenceChallenge',
  method: 'OPTIONS',
  public: "the visitor's browser sends it, before there is a customer",
  limit: 'presence',
  path,
  tag,
  summary: 'CORS preflight',
  unrecorded: 'a CORS preflight: the request itself follows',
  params,
  query,
  responses: { 204: { description: 'Which origin may send the request', headers: cors } },
  errors,
});

/** Presence challenges for sign-up forms (product §2). */
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
    allowOrigin(reply, allowedOrigin);
    return challenge;
  }

  @Route(presencePreflightEndpoint)
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
    allowOrigin(reply, allowedOrigin);
    if (allowedOrigin !== undefined) void reply.header('access-control-allow-methods', 'GET');
  }

  /**
   * An unknown or suspended organization gets the same error as an unknown, disabled or foreign app, against probing.
   */
  private async requireOrganization(shortId: string): Promise<void> {
    if (!(await this.organizations.find(shortId)))
      throw new AppError('unknown_app', 'This organization has no app with this client_id.');
  }
}

function originOf({ headers: { origin } }: FastifyRequest): { origin?: string } {
  return origin !== undefined && origin.length <= 300 ? { origin } : {};
}

/** Allows only the origin of the request, without credentials (Fetch, "CORS protocol"). */
function allowOrigin(reply: FastifyReply, origin: string | undefined): void {
  if (origin !== undefined) void reply.header('access-control-allow-origin', origin);
}

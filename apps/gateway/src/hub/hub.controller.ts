import { randomBytes } from 'node:crypto';
import { Controller, Inject, Req, Res } from '@nestjs/common';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { z } from 'zod';
import { createHubSession, endHubSession, hubPaths, shortId } from '@holdfast/contracts';
import { endpoint, type InputOf } from '@holdfast/contracts/http';
import { Bus } from '@holdfast/messaging';
import { CONFIG } from '@holdfast/service';
import { HubCookie, sessionHashOf } from '../access/hub-cookie.js';
import { PersonSessions } from '../access/person-sessions.js';
import type { GatewayConfig } from '../config.js';
import { isRecordedBy } from '../edge/recording.js';
import { customerContextOf } from '../edge/request-context.js';
import { Route } from '../endpoints/route.js';
import { Input, invalidRequest } from '../requests/input.js';
import {
  authorizationUrl,
  fromCookie,
  isAnswerTo,
  issuerUrl,
  newSignIn,
  proofOf,
  signInCookieForm,
  signInCookieSeconds,
  toCookie,
  type HubSignIn,
} from './hub-sign-in.js';
import { returnAddressOf } from './return-to.js';

const tag = 'Hub';
const internal = 'a page, or what it loads';
const params = z.strictObject({ shortId });

const signInEndpoint = endpoint({
  id: 'beginHubSignIn',
  method: 'GET',
  public: 'begins a sign-in',
  limit: 'authorize',
  path: hubPaths.signIn,
  tag,
  unrecorded: 'the issuer, to which it redirects, records the sign-in',
  internal,
  summary: 'Begin a sign-in to the hub',
  description: 'Redirects to the issuer of the organization.',
  params,
  query: z.strictObject({
    max_age: z.coerce
      .number()
      .int()
      .min(0)
      .max(86_400)
      .optional()
      .describe('An earlier sign-in does when it is at most this old, in seconds'),
    return_to: z.string().optional().describe('Path of the page of the hub to which the browser returns'),
  }),
  responses: { 303: { description: 'To the issuer', headers: { Location: 'The authorization endpoint' } } },
  errors: ['invalid_request'],
});

const callbackEndpoint = endpoint({
  id: 'completeHubSignIn',
  method: 'GET',
  public: 'the cookie of the browser that began the sign-in authorizes it, with the code',
  limit: 'sign_in',
  path: hubPaths.callback,
  tag,
  action: 'user.token',
  internal,
  summary: 'Complete a sign-in to the hub',
  description: 'The issuer redirects here. Sets the cookie of the session.',
  params,
  // RFC 6749 §4.1.2: a client ignores unknown parameters of the response.
  query: z.object({
    code: z.string().max(512).optional(),
    state: z.string().max(512).optional(),
    iss: z.string().max(512).optional(),
    error: z.string().max(100).optional(),
  }),
  responses: { 303: { description: 'To the hub', headers: { Location: 'The page from which the sign-in began' } } },
  errors: ['invalid_request', 'unavailable'],
});

const signOutEndpoint = endpoint({
  id: 'signOutOfHub',
  method: 'POST',
  public: 'the cookie of the session authorizes it',
  limit: 'sign_in',
  path: hubPaths.signOut,
  tag,
  action: 'user.sign_out',
  internal,
  summary: 'Sign out of the hub and of every app',
  params,
  responses: { 204: { description: 'There is no session any more' } },
  errors: ['invalid_request', 'cross_site_request', 'unavailable'],
});

/** How a sign-in ended when it failed: the hub's page says so. */
type Failure = 'denied' | 'failed';

/** Sign-in and sign-out of people at the hub. What they then do there goes through the API. */
@Controller()
export class HubController {
  private readonly baseUrl: string;
  private readonly session: HubCookie;
  private readonly signIns: HubCookie;

  constructor(
    private readonly bus: Bus,
    private readonly sessions: PersonSessions,
    @Inject(CONFIG) { BASE_URL }: Pick<GatewayConfig, 'BASE_URL'>,
  ) {
    this.baseUrl = BASE_URL;
    this.session = new HubCookie(BASE_URL);
    // Lax, because a browser that followed a link of another site to the sign-in returns by redirects.
    this.signIns = new HubCookie(BASE_URL, 'hub-sign-in', 'Lax', signInCookieForm);
  }

  @Route(signInEndpoint)
  signIn(@Input() { params: { shortId }, query }: InputOf<typeof signInEndpoint>, @Res() reply: FastifyReply): void {
    const returnTo = returnAddressOf(query.return_to ?? `/hub/${shortId}`, shortId, this.baseUrl);
    if (returnTo === undefined)
      throw invalidRequest([{ parameter: 'return_to', detail: `must be the path of a page below /hub/${shortId}` }]);
    const signIn = newSignIn(returnTo);
    this.signIns.set(reply, shortId, toCookie(signIn), signInCookieSeconds);
    void reply
      .code(303)
      .header('location', authorizationUrl(this.baseUrl, shortId, signIn, query.max_age))
      .send();
  }

  @Route(callbackEndpoint)
  async callback(
    @Input() { params: { shortId }, query }: InputOf<typeof callbackEndpoint>,
    @Req() request: FastifyRequest,
    @Res() reply: FastifyReply,
  ): Promise<void> {
    const begun = this.signIns.read(request, shortId);
    this.signIns.clear(reply, shortId);
    const signIn = begun === undefined ? undefined : fromCookie(begun);
    const failure = await this.complete(shortId, signIn, query, request, reply);
    const location = failure === undefined ? this.returnTo(signIn!, shortId) : `/hub/${shortId}?sign_in=${failure}`;
    void reply.code(303).header('location', location).send();
  }

  @Route(signOutEndpoint)
  async signOut(
    @Input() { params: { shortId } }: InputOf<typeof signOutEndpoint>,
    @Req() request: FastifyRequest,
    @Res() reply: FastifyReply,
  ): Promise<void> {
    this.sessions.requireOwnPage(request);
    const id = this.session.read(request, shortId);
    if (id !== undefined) {
      const context = customerContextOf(request, shortId);
      const { ended } = await this.bus.request(endHubSession, { session: sessionHashOf(id) }, context);
      this.sessions.forget(shortId, id);
      if (ended) isRecordedBy(request, 'handler');
    }
    this.session.clear(reply, shortId);
    void reply.code(204).send();
  }

  private async complete(
    shortId: string,
    signIn: HubSignIn | undefined,
    { code, state, iss, error }: InputOf<typeof callbackEndpoint>['query'],
    request: FastifyRequest,
    reply: FastifyReply,
  ): Promise<Failure | undefined> {
    // RFC 9207: the response is that of this organization's issuer.
    if (!signIn || state === undefined || !isAnswerTo(signIn, state) || iss !== issuerUrl(this.baseUrl, shortId))
      return 'failed';
    if (code === undefined) return error === 'access_denied' ? 'denied' : 'failed';
    const id = randomBytes(32).toString('base64url');
    const earlier = this.session.read(request, shortId);
    const result = await this.bus.request(
      createHubSession,
      {
        code,
        ...proofOf(signIn),
        session: sessionHashOf(id),
        ...(earlier !== undefined && { replaces: sessionHashOf(earlier) }),
      },
      customerContextOf(request, shortId),
    );
    if (result.outcome === 'refused') return 'failed';
    isRecordedBy(request, 'handler');
    if (earlier !== undefined) this.sessions.forget(shortId, earlier);
    this.session.set(reply, shortId, id, result.expiresInSeconds);
    return undefined;
  }

  /** The cookie is the browser's, so its address is checked again. */
  private returnTo({ returnTo }: HubSignIn, shortId: string): string {
    return returnAddressOf(returnTo, shortId, this.baseUrl) ?? `/hub/${shortId}`;
  }
}

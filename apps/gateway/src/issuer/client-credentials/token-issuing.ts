import { Inject, Injectable } from '@nestjs/common';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { issueToken, type ReplyOf } from '@holdfast/contracts';
import { Bus } from '@holdfast/messaging';
import { AppError, networkOf } from '@holdfast/platform';
import { CONFIG } from '@holdfast/service';
import type { GatewayConfig } from '../../config.js';
import { isRecordedBy } from '../../edge/recording.js';
import { anonymousContextOf } from '../../edge/request-context.js';
import { AuthProxy } from '../proxy/auth-proxy.js';
import type { ClientCredentialsRequest } from './client-credentials-request.js';

/** As oidc-provider sends them, so that the responses of both are the same. */
const commonHeaders = { vary: 'Origin', 'access-control-expose-headers': 'DPoP-Nonce,WWW-Authenticate' };

/** Requests tokens from auth over the bus, and responds as RFC 6749 §5 specifies. */
@Injectable()
export class TokenIssuing {
  constructor(
    private readonly bus: Bus,
    private readonly proxy: AuthProxy,
    @Inject(CONFIG) private readonly config: Pick<GatewayConfig, 'BASE_URL'>,
  ) {}

  /** @returns false when oidc-provider has to answer. @throws AppError */
  async respond(request: FastifyRequest, reply: FastifyReply, input: ClientCredentialsRequest): Promise<boolean> {
    const answer = await this.proxy.withinLimits(request, () => this.requestToken(request, input));
    if (!answer || answer.outcome === 'proof_required') return false;
    const { requestContext } = request;
    isRecordedBy(request, 'auth');
    if (answer.org !== undefined) requestContext.app = { org: answer.org, clientId: input.clientId };
    if (answer.outcome === 'issued') {
      const { accessToken, expiresInSeconds, scope } = answer;
      void reply
        .headers(commonHeaders)
        .send({ access_token: accessToken, expires_in: expiresInSeconds, scope, token_type: 'Bearer' });
      return true;
    }
    const { status, error, description, headers } = answer;
    requestContext.oauthError = error;
    const challenge = { 'www-authenticate': `Basic realm="${this.config.BASE_URL}", charset="UTF-8"` };
    void reply
      .code(status)
      .headers({ ...commonHeaders, ...headers, ...(status === 401 && challenge) })
      .send({ error, error_description: description });
    return true;
  }

  /** @returns undefined when no replica of auth answers such requests. @throws AppError */
  private async requestToken(
    request: FastifyRequest,
    input: ClientCredentialsRequest,
  ): Promise<ReplyOf<typeof issueToken> | undefined> {
    const network = networkOf(request.requestContext.address);
    try {
      // The organization is that of the client, which auth looks up.
      return await this.bus.request(issueToken, { ...input, network }, anonymousContextOf(request, ''));
    } catch (error) {
      if (!(error instanceof AppError && error.code === 'unavailable')) throw error;
      // Nobody received it. After a rollback auth is older than this gateway, and answers by HTTP only.
      if (error.origin?.dependency === 'auth' && error.origin.cause === 'not_running') return undefined;
      // It names services, and is for the access line only.
      if (error.detail !== undefined) request.requestContext.detail = error.detail;
      throw new AppError('unavailable', undefined, { retryAfter: 1, ...(error.origin && { origin: error.origin }) });
    }
  }
}

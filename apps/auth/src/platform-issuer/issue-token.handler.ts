import { Controller, Inject } from '@nestjs/common';
import { issueToken, type ReplyOf, type RequestContext, type RequestOf } from '@holdfast/contracts';
import { Handles } from '@holdfast/messaging';
import { AppError, CLOCK, unavailable, type Clock } from '@holdfast/platform';
import { ClientRegistry } from '../clients/client-registry.js';
import { ClientCredentialsGrant } from './client-credentials-grant.js';
import { TokenAudit, type TokenRequest, type TokenResponse } from './token-audit.js';

/** Token requests over the bus. All others arrive by HTTP and go to oidc-provider (platform-issuer.ts). */
@Controller()
export class IssueTokenHandler {
  constructor(
    private readonly clients: ClientRegistry,
    private readonly grant: ClientCredentialsGrant,
    private readonly audit: TokenAudit,
    @Inject(CLOCK) private readonly clock: Clock,
  ) {}

  @Handles(issueToken)
  async handle(
    { clientId, secret, scope, network }: RequestOf<typeof issueToken>,
    { request: info, auditId }: RequestContext,
  ): Promise<ReplyOf<typeof issueToken>> {
    // As over HTTP (http-app.ts): token and record would have wrong times.
    if (this.clock.trust() === 'wrong')
      throw unavailable('the clock of this replica is wrong', 1, { dependency: 'clock', cause: 'unavailable' });
    const client = await this.clients.find(clientId);
    const request: TokenRequest = { info, network, presentedClientId: clientId, ...(client && { client }) };
    const reply = this.grant.decide(request, secret, scope);
    if (reply.outcome === 'issued') await this.record(request, { status: 200, scope: reply.scope }, auditId);
    if (reply.outcome === 'refused') await this.record(request, reply, auditId);
    return reply;
  }

  /** @throws unavailable for whatever reason there is no record: then no token leaves, as over HTTP */
  private async record(request: TokenRequest, response: TokenResponse, auditId: string): Promise<void> {
    try {
      await this.audit.record(request, response, auditId);
    } catch (error) {
      const { origin = { dependency: 'audit', cause: 'unavailable' as const } } =
        error instanceof AppError ? error : {};
      throw unavailable(`not recorded: ${String(error)}`, 1, origin);
    }
  }
}

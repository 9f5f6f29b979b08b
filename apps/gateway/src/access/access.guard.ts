import { Inject, Injectable, type ExecutionContext } from '@nestjs/common';
import { AuthGuard } from '@nestjs/passport';
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { AccessTokenClaims } from '@holdfast/contracts';
import { neededBy, type Endpoint, type NeededOperation } from '@holdfast/contracts/http';
import { AppError, CLOCK, type Clock } from '@holdfast/platform';
import { isPerson, type CallerClaims } from '../edge/caller.js';
import { InsufficientScopeError } from '../edge/problems/problem.js';
import { ENDPOINT } from '../endpoints/route.js';
import { DpopProofs } from './dpop-proofs.js';
import { PersonSessions } from './person-sessions.js';
import { RequestLimits } from './request-limits.js';
import { needsStepUp, requireRecentSignIn } from './step-up.js';

/**
 * The one guard of every route. Product §3 fixes the order: token or session (401), rate limit of the caller (429),
 * page of another site (403), organization (403), scope (403), age of a person's sign-in (401). The controller then
 * checks input and object.
 */
@Injectable()
export class AccessGuard extends AuthGuard('access-token') {
  @Inject(RequestLimits) private readonly limits!: RequestLimits;
  @Inject(PersonSessions) private readonly sessions!: PersonSessions;
  @Inject(CLOCK) private readonly clock!: Clock;
  @Inject(DpopProofs) private readonly proofs!: DpopProofs;

  override async canActivate(context: ExecutionContext): Promise<boolean> {
    const endpoint = Reflect.getMetadata(ENDPOINT, context.getHandler()) as Endpoint | undefined;
    if (!endpoint) throw new AppError('not_found');
    if (!endpoint.operation) return true;

    const http = context.switchToHttp();
    const request = http.getRequest<FastifyRequest>();
    const reply = http.getResponse<FastifyReply>();
    const caller = await this.countingDenied(request, reply, () => this.authenticate(context, request));
    request.requestContext.claims = caller;
    request.requestContext.needsStepUp = needsStepUp(caller, this.clock.now());
    // This precedes organization and scope, so that denied requests count towards the limit too.
    this.limits.admitCaller(caller, endpoint, reply);
    await this.countingDenied(request, reply, () => this.proofs.useOnce(request, reply));
    if (isPerson(caller)) this.sessions.requireOwnPage(request);
    requireOrganization(caller, request);
    requireOperation(caller, { ...endpoint, operation: endpoint.operation });
    if (endpoint.stepUp === true) requireRecentSignIn(request.requestContext);
    return true;
  }

  /** The app of the access token, or the person of the session at the hub. @throws missing_token, invalid_token */
  private async authenticate(context: ExecutionContext, request: FastifyRequest): Promise<CallerClaims> {
    const { shortId } = request.params as { shortId?: string };
    const session = this.sessions.idIn(request, shortId);
    if (session !== undefined) return this.sessions.authenticate(request, shortId!, session);
    await super.canActivate(context);
    return (request as FastifyRequest & { user: AccessTokenClaims }).user;
  }

  /** Runs a step that authenticates the caller. Until it succeeds, nobody is known to have sent the request. */
  private async countingDenied<T>(
    request: FastifyRequest,
    reply: FastifyReply,
    step: () => T | Promise<T>,
  ): Promise<T> {
    try {
      return await step();
    } catch (error) {
      delete request.requestContext.claims;
      if (error instanceof AppError && error.status === 401) this.limits.countDenied(request, reply);
      throw error;
    }
  }

  override handleRequest<User>(error: unknown, user: User): User {
    if (error) throw error as Error;
    if (!user) throw new AppError('missing_token');
    return user;
  }
}

/** The token determines the organization. An organization that does not exist gets the same 403 as a foreign one. */
function requireOrganization({ org }: CallerClaims, request: FastifyRequest): void {
  if ((request.params as { shortId?: string }).shortId !== org) {
    throw new AppError('wrong_organization', "Use your own organization's short ID.");
  }
}

/** No operation implies another; who manages its streams reads them. @throws insufficient_scope */
export function requireOperation(caller: CallerClaims, needed: NeededOperation): void {
  const operation = neededBy(isPerson(caller) ? 'person' : 'app', needed);
  const held = caller.scope.split(' ');
  if (!held.includes(operation) && !(operation === 'ssf.read' && held.includes('ssf.manage'))) {
    throw new InsufficientScopeError(operation);
  }
}

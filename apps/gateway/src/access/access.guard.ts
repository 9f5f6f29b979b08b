import { Inject, Injectable, type ExecutionContext } from '@nestjs/common';
import { AuthGuard } from '@nestjs/passport';
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { AccessTokenClaims } from '@holdfast/contracts';
import { AppError } from '@holdfast/platform';
import { InsufficientScopeError } from '../edge/problems/problem.js';
import { ENDPOINT, type Endpoint } from '../endpoints/endpoint.js';
import { RequestLimits } from './request-limits.js';

/**
 * The one guard of every route. Product §3 fixes the order: token (401), rate limit of the app (429), organization
 * (403), scope (403). The controller then checks input and object.
 */
@Injectable()
export class AccessGuard extends AuthGuard('bearer') {
  @Inject(RequestLimits) private readonly limits!: RequestLimits;

  override async canActivate(context: ExecutionContext): Promise<boolean> {
    const endpoint = Reflect.getMetadata(ENDPOINT, context.getHandler()) as Endpoint | undefined;
    if (!endpoint) throw new AppError('not_found');
    if (!endpoint.operation) return true;

    const http = context.switchToHttp();
    const request = http.getRequest<FastifyRequest & { user: AccessTokenClaims }>();
    const reply = http.getResponse<FastifyReply>();
    try {
      await super.canActivate(context);
    } catch (error) {
      if (error instanceof AppError && error.status === 401) this.limits.countDenied(request, reply);
      throw error;
    }
    const claims = request.user;
    request.requestContext.claims = claims;
    // This precedes organization and scope, so that denied requests count towards the limit too.
    this.limits.admitApp(claims, endpoint, reply);
    requireOrganization(claims, request);
    requireOperation(claims, endpoint.operation);
    return true;
  }

  override handleRequest<User>(error: unknown, user: User): User {
    if (error) throw error as Error;
    if (!user) throw new AppError('missing_token');
    return user;
  }
}

/** The token determines the organization. An organization that does not exist gets the same 403 as a foreign one. */
function requireOrganization({ org }: AccessTokenClaims, request: FastifyRequest): void {
  if ((request.params as { shortId?: string }).shortId !== org) {
    throw new AppError('wrong_organization', "Use your own organization's short ID.");
  }
}

/** No operation implies another. @throws insufficient_scope when the token lacks the operation */
export function requireOperation({ scope }: AccessTokenClaims, operation: string): void {
  if (!scope.split(' ').includes(operation)) {
    throw new InsufficientScopeError(operation);
  }
}

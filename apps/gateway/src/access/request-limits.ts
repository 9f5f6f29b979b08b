import { Inject, Injectable } from '@nestjs/common';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { Counter } from 'prom-client';
import { SharedRateLimits } from '@holdfast/access';
import { type Endpoint } from '@holdfast/contracts/http';
import { AppError, networkOf, type RateLimiter, type RateLimitResult } from '@holdfast/platform';
import { CONFIG } from '@holdfast/service';
import type { GatewayConfig } from '../config.js';
import { isPerson, type CallerClaims } from '../edge/caller.js';
import { routeTemplate } from '../edge/request-context.js';
import { limitClasses, limitClassNames, limitClassOf, type LimitClass } from '../endpoints/limit-classes.js';
import { ENDPOINTS } from '../endpoints/route.js';

const limited = new Counter({
  name: 'holdfast_rate_limited_total',
  help: 'Responses with 429, by rate limit class',
  labelNames: ['class'],
});

/** The gateway's rate limits: per address for public routes, per app or person for the API. */
@Injectable()
export class RequestLimits {
  private readonly limiters: Record<LimitClass, RateLimiter>;
  private readonly classes: Map<string, LimitClass>;

  constructor(
    @Inject(CONFIG) { RATE_LIMITS }: Pick<GatewayConfig, 'RATE_LIMITS'>,
    @Inject(ENDPOINTS) endpoints: readonly Endpoint[],
    @Inject(SharedRateLimits) shared: SharedRateLimits,
  ) {
    this.limiters = Object.fromEntries(
      limitClassNames.map((name) => [name, shared.limiter(name, RATE_LIMITS[name])]),
    ) as Record<LimitClass, RateLimiter>;
    this.classes = new Map(
      endpoints.flatMap((endpoint) => {
        const limit = limitClassOf(endpoint);
        return limit ? [[`${endpoint.method} ${endpoint.path}`, limit] as const] : [];
      }),
    );
  }

  /** Applies the limits that need no token. @throws rate_limited, invalid_request (414) */
  admit(request: FastifyRequest, reply: FastifyReply): void {
    const limit = this.classOf(request);
    const policy = limitClasses[limit];
    // Limits per app and person are applied once the token is verified (admitCaller).
    if (policy.per === 'address') this.take(limit, networkOf(request.requestContext.address), reply);
    const query = request.url.indexOf('?');
    if (query >= 0 && request.url.length - query - 1 > policy.maxQuery) {
      throw new AppError('invalid_request', `The query of the address is longer than ${policy.maxQuery} characters.`, {
        status: 414,
      });
    }
  }

  /**
   * Applies the limit of a person, or of an app, with the quota that its valid token names.
   * @throws rate_limited
   */
  admitCaller(claims: CallerClaims, endpoint: Endpoint, reply: FastifyReply): void {
    if (isPerson(claims)) this.take('person', claims.sub, reply);
    else {
      const limit = limitClassOf(endpoint) === 'write' ? 'write' : 'read';
      this.take(limit, claims.client_id, reply, claims.rate_limits?.[limit]);
    }
  }

  /**
   * Counts a request with an invalid token against its address. Requests with a valid token never count here.
   *
   * @throws rate_limited in place of the 401
   */
  countDenied(request: FastifyRequest, reply: FastifyReply): void {
    const limiter = this.limiters.denied;
    const result = limiter.take(networkOf(request.requestContext.address));
    // RateLimit headers go only to callers over the limit: the others behind the same address have no part in it.
    if (!result.allowed) this.refuse('denied', result, reply);
  }

  private classOf(request: FastifyRequest): LimitClass {
    const method = request.method === 'HEAD' ? 'GET' : request.method;
    return this.classes.get(`${method} ${routeTemplate(request)}`) ?? 'unmatched';
  }

  private take(limit: LimitClass, key: string, reply: FastifyReply, perMinute?: number): void {
    const limiter = this.limiters[limit];
    const result = limiter.take(key, perMinute);
    if (!result.allowed) this.refuse(limit, result, reply);
    void reply.headers(limiter.headersOf(result));
  }

  private refuse(limit: LimitClass, result: RateLimitResult, reply: FastifyReply): never {
    limited.inc({ class: limit });
    void reply.headers(this.limiters[limit].headersOf(result));
    throw new AppError('rate_limited', undefined, { retryAfter: result.retryAfterSeconds });
  }
}

import { Inject, Injectable } from '@nestjs/common';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { Counter } from 'prom-client';
import type { AccessTokenClaims } from '@holdfast/contracts';
import { AppError, networkOf, RateLimiter, type RateLimitResult } from '@holdfast/platform';
import { CONFIG } from '@holdfast/service';
import type { GatewayConfig } from '../config.js';
import { routeTemplate } from '../edge/request-context.js';
import { ENDPOINTS, type Endpoint } from '../endpoints/endpoint.js';
import { limitClasses, limitClassNames, limitClassOf, type LimitClass } from '../endpoints/limit-classes.js';

const limited = new Counter({
  name: 'holdfast_rate_limited_total',
  help: 'Requests answered 429, by class of limit',
  labelNames: ['class'],
});

/** The rate limits of the gateway, per address for public routes and per app for the API. */
@Injectable()
export class RequestLimits {
  private readonly limiters: Record<LimitClass, RateLimiter>;
  private readonly classes: Map<string, LimitClass>;

  constructor(
    @Inject(CONFIG) { RATE_LIMITS }: Pick<GatewayConfig, 'RATE_LIMITS'>,
    @Inject(ENDPOINTS) endpoints: readonly Endpoint[],
  ) {
    this.limiters = Object.fromEntries(
      limitClassNames.map((name) => [name, new RateLimiter(name, RATE_LIMITS[name])]),
    ) as Record<LimitClass, RateLimiter>;
    this.classes = new Map(
      endpoints.flatMap((endpoint) => {
        const limit = limitClassOf(endpoint);
        return limit ? [[`${endpoint.method} ${endpoint.path}`, limit] as const] : [];
      }),
    );
  }

  /** Before anything is done for a request, whoever sends it. @throws rate_limited, or invalid_request (414) */
  admit(request: FastifyRequest, reply: FastifyReply): void {
    const limit = this.classOf(request);
    const policy = limitClasses[limit];
    // Nothing is known of an app until its token is verified.
    if (policy.per === 'address') this.take(limit, networkOf(request.requestContext.address), reply);
    const query = request.url.indexOf('?');
    if (query >= 0 && request.url.length - query - 1 > policy.maxQuery) {
      throw new AppError('invalid_request', `The query of the address is longer than ${policy.maxQuery} characters.`, {
        status: 414,
      });
    }
  }

  /** Of an app whose token is good. @throws rate_limited */
  admitApp({ client_id: clientId }: AccessTokenClaims, endpoint: Endpoint, reply: FastifyReply): void {
    this.take(limitClassOf(endpoint) ?? 'read', clientId, reply);
  }

  /**
   * Of an address whose token is not good; one that is good is never asked for this. @throws rate_limited in place of
   * the 401
   */
  countDenied(request: FastifyRequest, reply: FastifyReply): void {
    const limiter = this.limiters.denied;
    const result = limiter.take(networkOf(request.requestContext.address));
    // Its state is told only to whom it keeps out: it may be another's behind the same address.
    if (!result.allowed) this.refuse('denied', result, reply);
  }

  private classOf(request: FastifyRequest): LimitClass {
    const method = request.method === 'HEAD' ? 'GET' : request.method;
    return this.classes.get(`${method} ${routeTemplate(request)}`) ?? 'unmatched';
  }

  private take(limit: LimitClass, key: string, reply: FastifyReply): void {
    const limiter = this.limiters[limit];
    const result = limiter.take(key);
    if (!result.allowed) this.refuse(limit, result, reply);
    void reply.headers(limiter.headersOf(result));
  }

  private refuse(limit: LimitClass, result: RateLimitResult, reply: FastifyReply): never {
    limited.inc({ class: limit });
    void reply.headers(this.limiters[limit].headersOf(result));
    throw new AppError('rate_limited', undefined, { retryAfter: result.retryAfterSeconds });
  }
}

import { CONFIG } from '@holdfast/bus';
import { AppError } from '@holdfast/kit';
import { Inject, Injectable, type CanActivate, type ExecutionContext } from '@nestjs/common';
import type { FastifyRequest } from 'fastify';
import type { GatewayConfig } from '../config.js';
import { AddressLimit } from './address-limit.js';

/** Who may call the routes of the claim page at all: nobody too often, and no page of another site. */
@Injectable()
export class ClaimGuard implements CanActivate {
  private readonly origin: string;
  private readonly limit: AddressLimit;

  constructor(@Inject(CONFIG) { BASE_URL, CLAIM_RATE_PER_MINUTE }: GatewayConfig) {
    this.origin = new URL(BASE_URL).origin;
    this.limit = new AddressLimit(CLAIM_RATE_PER_MINUTE);
  }

  canActivate(context: ExecutionContext): boolean {
    const { headers, call } = context.switchToHttp().getRequest<FastifyRequest>();
    const retryAfter = this.limit.take(call.address, performance.now());
    if (retryAfter > 0) throw new AppError('rate_limited', undefined, { retryAfter });
    // Every browser says where a POST comes from (Fetch, "Origin header"); `null` is no origin of ours either.
    if (headers.origin !== undefined && headers.origin !== this.origin) throw new AppError('cross_site_request');
    return true;
  }
}

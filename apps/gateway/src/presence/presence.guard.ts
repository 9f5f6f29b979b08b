import { CONFIG } from '@holdfast/bus';
import { AppError } from '@holdfast/kit';
import { Inject, Injectable, type CanActivate, type ExecutionContext } from '@nestjs/common';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { AddressLimit } from '../claim/address-limit.js';
import type { GatewayConfig } from '../config.js';

/** A challenge costs us a derivation of a key, so nobody may ask too often. */
@Injectable()
export class PresenceGuard implements CanActivate {
  private readonly limit: AddressLimit;

  constructor(@Inject(CONFIG) { PRESENCE_RATE_PER_MINUTE }: Pick<GatewayConfig, 'PRESENCE_RATE_PER_MINUTE'>) {
    this.limit = new AddressLimit(PRESENCE_RATE_PER_MINUTE);
  }

  canActivate(context: ExecutionContext): boolean {
    const http = context.switchToHttp();
    // Of refusals too: what a cache between us and a browser keeps for one origin is not for another.
    void http.getResponse<FastifyReply>().header('vary', 'Origin');
    const retryAfter = this.limit.take(http.getRequest<FastifyRequest>().call.address, performance.now());
    if (retryAfter > 0) throw new AppError('rate_limited', undefined, { retryAfter });
    return true;
  }
}

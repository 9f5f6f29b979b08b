import { Inject, Injectable, type CanActivate, type ExecutionContext } from '@nestjs/common';
import type { FastifyRequest } from 'fastify';
import { AppError } from '@holdfast/platform';
import { CONFIG } from '@holdfast/service';
import type { GatewayConfig } from '../config.js';

/** Denies requests from pages of other sites to the routes of the claim page. */
@Injectable()
export class ClaimGuard implements CanActivate {
  private readonly origin: string;

  constructor(@Inject(CONFIG) { BASE_URL }: Pick<GatewayConfig, 'BASE_URL'>) {
    this.origin = new URL(BASE_URL).origin;
  }

  canActivate(context: ExecutionContext): boolean {
    const { headers } = context.switchToHttp().getRequest<FastifyRequest>();
    // Browsers send the origin with every POST (Fetch, "Origin header"). An opaque origin, `null`, is denied too.
    if (headers.origin !== undefined && headers.origin !== this.origin) throw new AppError('cross_site_request');
    return true;
  }
}

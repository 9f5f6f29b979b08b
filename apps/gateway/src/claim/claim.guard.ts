import { Inject, Injectable, type CanActivate, type ExecutionContext } from '@nestjs/common';
import type { FastifyRequest } from 'fastify';
import { AppError } from '@holdfast/platform';
import { CONFIG } from '@holdfast/service';
import type { GatewayConfig } from '../config.js';

/** Keeps pages of other sites from the routes of the claim page. */
@Injectable()
export class ClaimGuard implements CanActivate {
  private readonly origin: string;

  constructor(@Inject(CONFIG) { BASE_URL }: Pick<GatewayConfig, 'BASE_URL'>) {
    this.origin = new URL(BASE_URL).origin;
  }

  canActivate(context: ExecutionContext): boolean {
    const { headers } = context.switchToHttp().getRequest<FastifyRequest>();
    // Every browser says where a POST comes from (Fetch, "Origin header"); `null` is no origin of ours either.
    if (headers.origin !== undefined && headers.origin !== this.origin) throw new AppError('cross_site_request');
    return true;
  }
}

import { Injectable, type CanActivate, type ExecutionContext } from '@nestjs/common';
import type { FastifyReply } from 'fastify';

/**
 * Adds `Vary: Origin` to every response, errors too: a cache must not return the response for one origin to another.
 */
@Injectable()
export class PresenceGuard implements CanActivate {
  canActivate(context: ExecutionContext): boolean {
    void context.switchToHttp().getResponse<FastifyReply>().header('vary', 'Origin');
    return true;
  }
}

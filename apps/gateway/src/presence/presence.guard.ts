import { Injectable, type CanActivate, type ExecutionContext } from '@nestjs/common';
import type { FastifyReply } from 'fastify';

/**
 * Says of every answer, refusals too, that it is for one origin: what a cache between us and a browser keeps for one is
 * not for another.
 */
@Injectable()
export class PresenceGuard implements CanActivate {
  canActivate(context: ExecutionContext): boolean {
    void context.switchToHttp().getResponse<FastifyReply>().header('vary', 'Origin');
    return true;
  }
}

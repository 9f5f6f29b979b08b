import { Controller } from '@nestjs/common';
import { presenceOrigin, type ReplyOf, type RequestContext, type RequestOf } from '@holdfast/contracts';
import { Handles } from '@holdfast/messaging';
import { allowedOrigin, Apps } from './apps.js';

/** Answers the CORS preflight of a page that adds headers of its own. Creates no challenge. */
@Controller()
export class PresenceOriginHandler {
  constructor(private readonly apps: Apps) {}

  @Handles(presenceOrigin)
  async handle(
    { clientId, origin }: RequestOf<typeof presenceOrigin>,
    { org }: RequestContext,
  ): Promise<ReplyOf<typeof presenceOrigin>> {
    return allowedOrigin(await this.apps.require(org, clientId), origin);
  }
}

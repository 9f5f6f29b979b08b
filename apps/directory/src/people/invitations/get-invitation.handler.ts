import { Controller, Inject } from '@nestjs/common';
import { getInvitation, type ReplyOf, type RequestContext, type RequestOf } from '@holdfast/contracts';
import { Database } from '@holdfast/data';
import { Handles } from '@holdfast/messaging';
import { CLOCK, type Clock } from '@holdfast/platform';
import { PersonIndex } from '../personal-data/person-index.js';
import { findInvitation, stateOf } from './invitation.js';

/**
 * Reads what the invitation page shows. It changes nothing, so that link scanners are harmless, and says nothing about
 * the person: a link may have reached somebody else.
 */
@Controller()
export class GetInvitationHandler {
  constructor(
    private readonly database: Database,
    private readonly index: PersonIndex,
    @Inject(CLOCK) private readonly clock: Clock,
  ) {}

  @Handles(getInvitation)
  async handle(
    { token }: RequestOf<typeof getInvitation>,
    { org }: RequestContext,
  ): Promise<ReplyOf<typeof getInvitation>> {
    const invitation = await findInvitation(this.database, this.index.linkHashes(token), org);
    const { recovery, expiresAt } = invitation;
    return { state: stateOf(invitation, this.clock.now()), recovery, expiresAt: expiresAt.toISOString() };
  }
}

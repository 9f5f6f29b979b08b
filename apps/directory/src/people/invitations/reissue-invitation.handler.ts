import { Controller } from '@nestjs/common';
import { reissueInvitation, type ReplyOf, type RequestContext, type RequestOf } from '@holdfast/contracts';
import { Handles } from '@holdfast/messaging';
import { Idempotency } from '@holdfast/outbox';
import { AppError } from '@holdfast/platform';
import { People } from '../people.js';
import { toUser } from '../person.js';
import { requireMayIssueLink } from '../role-rules.js';
import { InvitationLinks } from './links.js';

/**
 * Issues a new link: to an invited person instead of the earlier one, to an active one for a recovery. The passkeys of
 * an active person sign in until the link is accepted.
 */
@Controller()
export class ReissueInvitationHandler {
  constructor(
    private readonly people: People,
    private readonly links: InvitationLinks,
    private readonly idempotency: Idempotency,
  ) {}

  @Handles(reissueInvitation)
  handle(
    request: RequestOf<typeof reissueInvitation>,
    context: RequestContext,
  ): Promise<ReplyOf<typeof reissueInvitation>> {
    return this.idempotency.once(reissueInvitation, request, context, (keyed) => {
      let invitationUrl = '';
      return this.people.change(
        request.person,
        context,
        async (person, { sql, now, caller }) => {
          requireMayIssueLink(caller, person);
          if (person.status === 'deactivated')
            throw new AppError('invalid_state', 'The person is deactivated: reactivate them first.');
          const recovery = person.status === 'active';
          const { expiresIn } = request;
          invitationUrl = await this.links.issue(sql, person, context, { now, expiresIn, recovery });
          return {
            events: [{ type: 'user.invited' }],
            action: 'user.invite',
            changes: {
              recovery: { to: recovery },
              expiresAt: { to: person.invitation!.expiresAt.toISOString() },
            },
          };
        },
        (person) => ({ user: toUser(person), invitationUrl }),
        keyed,
      );
    });
  }
}

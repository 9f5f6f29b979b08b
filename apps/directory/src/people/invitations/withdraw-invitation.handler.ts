import { Controller } from '@nestjs/common';
import { withdrawInvitation, type ReplyOf, type RequestContext, type RequestOf } from '@holdfast/contracts';
import { Handles } from '@holdfast/messaging';
import { Idempotency } from '@holdfast/outbox';
import { AppError } from '@holdfast/platform';
import { People } from '../people.js';
import { requireMayManage } from '../role-rules.js';
import { closeLink } from './open-links.js';

/** Withdraws the open link of a person. An invited person stays invited, and can get a new one. */
@Controller()
export class WithdrawInvitationHandler {
  constructor(
    private readonly people: People,
    private readonly idempotency: Idempotency,
  ) {}

  @Handles(withdrawInvitation)
  handle(
    request: RequestOf<typeof withdrawInvitation>,
    context: RequestContext,
  ): Promise<ReplyOf<typeof withdrawInvitation>> {
    return this.idempotency.once(withdrawInvitation, request, context, (keyed) =>
      this.people.change(
        request.person,
        context,
        async (person, { sql, caller }) => {
          requireMayManage(caller, 'users:manage', person);
          if (!person.invitation) throw new AppError('invalid_state', 'The person has no open invitation link.');
          await closeLink(sql, person, 'withdrawn');
          return { events: [{ type: 'user.updated' }], action: 'user.withdraw_invitation' };
        },
        () => ({}),
        keyed,
      ),
    );
  }
}

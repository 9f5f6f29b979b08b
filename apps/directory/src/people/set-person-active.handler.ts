import { Controller } from '@nestjs/common';
import { setPersonActive, type ReplyOf, type RequestContext, type RequestOf } from '@holdfast/contracts';
import { Handles } from '@holdfast/messaging';
import { Idempotency } from '@holdfast/outbox';
import { hasPasskey } from './passkeys/passkeys.repository.js';
import { People, type PersonChange } from './people.js';
import { toUser } from './person.js';
import { requireMayManage } from './role-rules.js';

/** Deactivates a person, whose link, sessions and tokens then end, or reactivates them. */
@Controller()
export class SetPersonActiveHandler {
  constructor(
    private readonly people: People,
    private readonly idempotency: Idempotency,
  ) {}

  @Handles(setPersonActive)
  handle(
    request: RequestOf<typeof setPersonActive>,
    context: RequestContext,
  ): Promise<ReplyOf<typeof setPersonActive>> {
    const { person: id, active } = request;
    return this.idempotency.once(setPersonActive, request, context, (keyed) =>
      this.people.change(
        id,
        context,
        async (person, { sql, caller }): Promise<PersonChange | undefined> => {
          requireMayManage(caller, 'users:manage', person);
          const from = person.status;
          if (active === (from !== 'deactivated')) return undefined;
          // Somebody who never accepted an invitation becomes invited again, and needs a new link.
          const reactivated = (await hasPasskey(sql, person)) ? 'active' : 'invited';
          person.status = active ? reactivated : 'deactivated';
          return {
            events: [{ type: active ? 'user.reactivated' : 'user.deactivated' }],
            action: active ? 'user.reactivate' : 'user.deactivate',
            changes: { status: { from, to: person.status } },
            // Also after a reactivation: a token from before the deactivation must not become valid again.
            endsTokens: true,
            endsSignIns: !active,
          };
        },
        (person) => ({ user: toUser(person) }),
        keyed,
      ),
    );
  }
}

import { Controller } from '@nestjs/common';
import { removePersonPasskey, type ReplyOf, type RequestContext, type RequestOf } from '@holdfast/contracts';
import { Handles } from '@holdfast/messaging';
import { Idempotency } from '@holdfast/outbox';
import { AppError } from '@holdfast/platform';
import { People } from '../people.js';
import { passkeyOf, passkeyTarget, requireMayManagePasskeys } from './manage-passkey.js';
import { removePasskey } from './passkeys.repository.js';

/**
 * Removes a passkey. A person who signed in with it has to sign in again: which session began with which passkey is not
 * stored, so all sessions of the person end.
 */
@Controller()
export class RemovePasskeyHandler {
  constructor(
    private readonly people: People,
    private readonly idempotency: Idempotency,
  ) {}

  @Handles(removePersonPasskey)
  handle(
    request: RequestOf<typeof removePersonPasskey>,
    context: RequestContext,
  ): Promise<ReplyOf<typeof removePersonPasskey>> {
    return this.idempotency.once(removePersonPasskey, request, context, (keyed) =>
      this.people.change(
        request.person,
        context,
        async (person, { sql, caller }) => {
          requireMayManagePasskeys(caller, person);
          const { passkey, others } = await passkeyOf(sql, person, request.passkey);
          if (others.length === 0 && person.status === 'active')
            throw new AppError(
              'invalid_state',
              'It is the only passkey of an active person, who could not sign in any more. Add another one first, ' +
                'or recover or deactivate the person.',
            );
          await removePasskey(sql, passkey.id);
          return {
            events: [{ type: 'user.updated' }],
            action: 'passkey.remove',
            targets: [passkeyTarget(person, passkey.id)],
            endsTokens: true,
            endsSignIns: true,
          };
        },
        () => ({}),
        keyed,
      ),
    );
  }
}

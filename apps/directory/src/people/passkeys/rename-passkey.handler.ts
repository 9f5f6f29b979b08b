import { Controller } from '@nestjs/common';
import { renamePersonPasskey, type ReplyOf, type RequestContext, type RequestOf } from '@holdfast/contracts';
import { Handles } from '@holdfast/messaging';
import { Idempotency } from '@holdfast/outbox';
import { People } from '../people.js';
import { passkeyOf, passkeyTarget, requireMayManagePasskeys } from './manage-passkey.js';
import { renamePasskey, toPasskey, type PasskeyRow } from './passkeys.repository.js';

@Controller()
export class RenamePasskeyHandler {
  constructor(
    private readonly people: People,
    private readonly idempotency: Idempotency,
  ) {}

  @Handles(renamePersonPasskey)
  handle(
    request: RequestOf<typeof renamePersonPasskey>,
    context: RequestContext,
  ): Promise<ReplyOf<typeof renamePersonPasskey>> {
    return this.idempotency.once(renamePersonPasskey, request, context, (keyed) => {
      let renamed: PasskeyRow;
      return this.people.change(
        request.person,
        context,
        async (person, { sql, caller }) => {
          requireMayManagePasskeys(caller, person);
          const { passkey } = await passkeyOf(sql, person, request.passkey);
          renamed = { ...passkey, name: request.name };
          if (renamed.name === passkey.name) return undefined;
          await renamePasskey(sql, passkey.id, renamed.name);
          return {
            events: [{ type: 'user.updated' }],
            action: 'passkey.rename',
            targets: [passkeyTarget(person, passkey.id)],
          };
        },
        () => ({ passkey: toPasskey(renamed) }),
        keyed,
      );
    });
  }
}

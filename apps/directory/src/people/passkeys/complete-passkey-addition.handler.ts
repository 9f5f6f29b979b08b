import { Controller, Inject } from '@nestjs/common';
import { completePasskeyAddition, type ReplyOf, type RequestContext, type RequestOf } from '@holdfast/contracts';
import { Database } from '@holdfast/data';
import { Handles } from '@holdfast/messaging';
import { Idempotency } from '@holdfast/outbox';
import { consumeChallenge, readRegistration, relyingPartyOf, verifyRegistration } from '@holdfast/passkeys';
import { CLOCK, type Clock } from '@holdfast/platform';
import { CONFIG } from '@holdfast/service';
import type { Config } from '../../config.js';
import { People } from '../people.js';
import { passkeyTarget } from './manage-passkey.js';
import { additionCeremony, requireMayAdd } from './passkey-addition.js';
import { addPasskey, passkeysOf, toPasskey } from './passkeys.repository.js';

/** Completes the ceremony of a further passkey. */
@Controller()
export class CompletePasskeyAdditionHandler {
  constructor(
    private readonly database: Database,
    private readonly people: People,
    private readonly idempotency: Idempotency,
    @Inject(CONFIG) private readonly config: Config,
    @Inject(CLOCK) private readonly clock: Clock,
  ) {}

  @Handles(completePasskeyAddition)
  handle(
    request: RequestOf<typeof completePasskeyAddition>,
    context: RequestContext,
  ): Promise<ReplyOf<typeof completePasskeyAddition>> {
    return this.idempotency.once(completePasskeyAddition, request, context, async (keyed) => {
      const { response, name, relyingParty } = request;
      const rp = relyingPartyOf(this.config.relyingParty, relyingParty);
      const registration = readRegistration(response);
      const ceremony = additionCeremony(context);
      await consumeChallenge(this.database, registration.challenge, ceremony, this.clock.now());
      const verified = await verifyRegistration(rp, registration);
      const added = { ...verified, rpId: rp.id, ...(name !== undefined && { name }) };
      let reply: ReplyOf<typeof completePasskeyAddition>;
      return this.people.change(
        context.actor.id,
        context,
        async (person, { sql, now }) => {
          requireMayAdd(person, await passkeysOf(sql, person));
          const id = await addPasskey(sql, person, added, now);
          reply = { passkey: toPasskey((await passkeysOf(sql, person)).find((passkey) => passkey.id === id)!) };
          return { events: [{ type: 'user.updated' }], action: 'passkey.add', targets: [passkeyTarget(person, id)] };
        },
        () => reply,
        keyed,
      );
    });
  }
}

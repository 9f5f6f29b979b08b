import { Controller, Inject } from '@nestjs/common';
import { beginPasskeyAddition, type ReplyOf, type RequestContext, type RequestOf } from '@holdfast/contracts';
import { Database } from '@holdfast/data';
import { Handles } from '@holdfast/messaging';
import { registrationOptions, relyingPartyOf, storeChallenge } from '@holdfast/passkeys';
import { CLOCK, type Clock } from '@holdfast/platform';
import { CONFIG } from '@holdfast/service';
import type { Config } from '../../config.js';
import { lockedPerson } from '../people.repository.js';
import { additionCeremony, requireMayAdd } from './passkey-addition.js';
import { passkeysOf } from './passkeys.repository.js';

/** Options for a further passkey of the person who sends the request. */
@Controller()
export class BeginPasskeyAdditionHandler {
  constructor(
    private readonly database: Database,
    @Inject(CONFIG) private readonly config: Config,
    @Inject(CLOCK) private readonly clock: Clock,
  ) {}

  @Handles(beginPasskeyAddition)
  async handle(
    { organizationName, relyingParty }: RequestOf<typeof beginPasskeyAddition>,
    context: RequestContext,
  ): Promise<ReplyOf<typeof beginPasskeyAddition>> {
    const ceremony = additionCeremony(context);
    const { person, passkeys, challenge } = await this.database.transaction(async (sql) => {
      const person = await lockedPerson(sql, context.actor.id, context.org);
      const passkeys = await passkeysOf(sql, person);
      requireMayAdd(person, passkeys);
      return { person, passkeys, challenge: await storeChallenge(sql, ceremony, this.clock.now()) };
    });
    const rp = relyingPartyOf(this.config.relyingParty, relyingParty);
    const exclude = passkeys.map(({ credentialId: id, transports }) => ({ id, transports }));
    return { options: await registrationOptions(rp, organizationName, person.userHandle, challenge, exclude) };
  }
}

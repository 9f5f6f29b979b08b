import { Controller, Inject } from '@nestjs/common';
import { beginInvitation, type ReplyOf, type RequestContext, type RequestOf } from '@holdfast/contracts';
import { Database, statement } from '@holdfast/data';
import { Handles } from '@holdfast/messaging';
import { registrationOptions, relyingPartyOf, storeChallenge } from '@holdfast/passkeys';
import { AppError, CLOCK, type Clock } from '@holdfast/platform';
import { CONFIG } from '@holdfast/service';
import type { Config } from '../../config.js';
import { PersonIndex } from '../personal-data/person-index.js';
import { findInvitation, invitationCeremony, requireOpen, stateOf } from './invitation.js';
import { passkeyUserName } from './passkey-user-name.js';

/** Waits for a concurrent removal, so that a challenge never outlives its person. */
const lockPerson = statement('invitation_lock_person', 'SELECT 1 FROM person WHERE id = $1 FOR KEY SHARE');

/** Begins the ceremony of an invitation: options for a passkey, bound to the invitation and the browser. */
@Controller()
export class BeginInvitationHandler {
  constructor(
    private readonly database: Database,
    private readonly index: PersonIndex,
    @Inject(CONFIG) private readonly config: Config,
    @Inject(CLOCK) private readonly clock: Clock,
  ) {}

  @Handles(beginInvitation)
  async handle(
    { token, organizationName, browser, relyingParty }: RequestOf<typeof beginInvitation>,
    { org }: RequestContext,
  ): Promise<ReplyOf<typeof beginInvitation>> {
    const invitation = await findInvitation(this.database, this.index.linkHashes(token), org);
    const now = this.clock.now();
    requireOpen(stateOf(invitation, now));
    const challenge = await this.database.transaction(async (sql) => {
      if ((await sql.rows(lockPerson, [invitation.person])).length === 0) throw new AppError('unknown_invitation');
      return storeChallenge(sql, invitationCeremony(invitation, browser), now);
    });
    const user = { handle: invitation.userHandle, name: passkeyUserName(organizationName) };
    const rp = relyingPartyOf(this.config.relyingParty, relyingParty);
    return { options: await registrationOptions(rp, organizationName, user, challenge) };
  }
}

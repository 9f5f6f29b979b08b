import { Controller, Inject } from '@nestjs/common';
import { beginInvitation, type ReplyOf, type RequestContext, type RequestOf } from '@holdfast/contracts';
import { Database, statement, type Sql } from '@holdfast/data';
import { Handles } from '@holdfast/messaging';
import { registrationOptions, relyingPartyOf, storeChallenge, UserHandles } from '@holdfast/passkeys';
import { AppError, CLOCK, type Clock } from '@holdfast/platform';
import { CONFIG } from '@holdfast/service';
import type { Config } from '../../config.js';
import { nextUserHandle } from '../passkeys/passkeys.repository.js';
import { PersonIndex } from '../personal-data/person-index.js';
import { findInvitation, invitationCeremony, requireOpen, stateOf, type Invitation } from './invitation.js';

/** Waits for a concurrent removal, so that a challenge never outlives its person. */
const lockPerson = statement('invitation_lock_person', 'SELECT 1 FROM person WHERE id = $1 FOR KEY SHARE');

/** Begins the ceremony of an invitation: options for a passkey, bound to the invitation and the browser. */
@Controller()
export class BeginInvitationHandler {
  private readonly handles: UserHandles;

  constructor(
    private readonly database: Database,
    private readonly index: PersonIndex,
    @Inject(CONFIG) private readonly config: Config,
    @Inject(CLOCK) private readonly clock: Clock,
  ) {
    this.handles = new UserHandles(config, 'people');
  }

  @Handles(beginInvitation)
  async handle(
    { token, organizationName, browser, relyingParty }: RequestOf<typeof beginInvitation>,
    { org }: RequestContext,
  ): Promise<ReplyOf<typeof beginInvitation>> {
    const invitation = await findInvitation(this.database, this.index.linkHashes(token), org);
    const now = this.clock.now();
    requireOpen(stateOf(invitation, now));
    const { challenge, handle } = await this.database.transaction(async (sql) => {
      const nextUserHandle = await this.lock(sql, invitation);
      const ceremony = invitationCeremony({ ...invitation, nextUserHandle }, browser);
      const challenge = await storeChallenge(sql, ceremony, now);
      return { challenge, handle: nextUserHandle ?? invitation.userHandle };
    });
    const rp = relyingPartyOf(this.config.relyingParty, relyingParty);
    return { options: await registrationOptions(rp, organizationName, handle, challenge) };
  }

  /** @returns the user handle of a recovery @throws AppError unknown_invitation when the person has been removed */
  private async lock(sql: Sql, { org, person: id, recovery }: Invitation): Promise<Buffer | null> {
    const next = recovery ? await nextUserHandle(sql, { org, id }, this.handles.create(org)) : undefined;
    const exists = recovery ? next !== undefined : (await sql.rows(lockPerson, [id])).length > 0;
    if (!exists) throw new AppError('unknown_invitation');
    return next ?? null;
  }
}

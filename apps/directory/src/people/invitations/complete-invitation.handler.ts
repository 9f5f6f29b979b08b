import { Controller, Inject } from '@nestjs/common';
import { completeInvitation, type ReplyOf, type RequestContext, type RequestOf } from '@holdfast/contracts';
import { Database } from '@holdfast/data';
import { Handles } from '@holdfast/messaging';
import {
  consumeChallenge,
  noPasskeysOf,
  readRegistration,
  relyingPartyOf,
  verifyRegistration,
  type NewPasskey,
} from '@holdfast/passkeys';
import { AppError, CLOCK, type Clock } from '@holdfast/platform';
import { CONFIG } from '@holdfast/service';
import type { Config } from '../../config.js';
import { addPasskey, removeAllPasskeys } from '../passkeys/passkeys.repository.js';
import { People, type PersonChange } from '../people.js';
import type { Person } from '../person.js';
import { PersonIndex } from '../personal-data/person-index.js';
import { findInvitation, invitationCeremony, requireOpen, stateOf, type Invitation } from './invitation.js';
import { closeLink } from './open-links.js';

/** Completes the ceremony of an invitation: the person gets the passkey and is active. Exactly one succeeds. */
@Controller()
export class CompleteInvitationHandler {
  constructor(
    private readonly database: Database,
    private readonly people: People,
    private readonly index: PersonIndex,
    @Inject(CONFIG) private readonly config: Config,
    @Inject(CLOCK) private readonly clock: Clock,
  ) {}

  @Handles(completeInvitation)
  async handle(
    { token, response, browser, relyingParty }: RequestOf<typeof completeInvitation>,
    context: RequestContext,
  ): Promise<ReplyOf<typeof completeInvitation>> {
    const rp = relyingPartyOf(this.config.relyingParty, relyingParty);
    const tokenHashes = this.index.linkHashes(token);
    const invitation = await this.open(tokenHashes, context.org);
    const registration = readRegistration(response);
    try {
      await consumeChallenge(
        this.database,
        registration.challenge,
        invitationCeremony(invitation, browser),
        this.clock.now(),
      );
    } catch (error) {
      // When the link was closed during the ceremony, that is the error, and not that the ceremony has expired.
      if (error instanceof AppError) await this.open(tokenHashes, context.org);
      throw error;
    }
    const passkey = await verifyRegistration(rp, registration);
    const replacedHandle = await this.accept(tokenHashes, invitation, { ...passkey, rpId: rp.id }, context);
    return {
      person: invitation.person,
      ...(replacedHandle && { acceptedPasskeys: noPasskeysOf(rp, replacedHandle) }),
    };
  }

  private async open(tokenHashes: readonly Buffer[], org: string): Promise<Invitation> {
    const invitation = await findInvitation(this.database, tokenHashes, org);
    requireOpen(stateOf(invitation, this.clock.now()));
    return invitation;
  }

  /**
   * The state is checked again under the locks of organization and person: the link may have been closed, and the
   * rights of its issuer or the roles of its person may have changed, during the ceremony.
   * @returns the user handle of the passkeys that were replaced, if the new one has another
   */
  private async accept(
    tokenHashes: readonly Buffer[],
    { person: id, nextUserHandle }: Invitation,
    passkey: NewPasskey & { rpId: string },
    context: RequestContext,
  ): Promise<Buffer | undefined> {
    // The actor of the record is the person, though the request with the token was anonymous.
    const asPerson: RequestContext = { ...context, actor: { type: 'person', id } };
    let replacedHandle: Buffer | undefined;
    await this.people.change(id, asPerson, async (person, { sql, now }) => {
      const invitation = await findInvitation(sql, tokenHashes, context.org);
      requireOpen(stateOf(invitation, now));
      if (invitation.recovery) replacedHandle = await removeAllPasskeys(sql, person, nextUserHandle ?? undefined);
      await closeLink(sql, person, 'accepted');
      await addPasskey(sql, person, passkey, now);
      return accepted(person, invitation);
    });
    return replacedHandle;
  }
}

function accepted(person: Person, { recovery }: Invitation): PersonChange {
  const from = person.status;
  person.status = 'active';
  return {
    events: [{ type: 'user.activated' }],
    action: 'user.activate',
    changes: {
      ...(from !== person.status && { status: { from, to: person.status } }),
      ...(recovery && { passkey: { to: 'replaced' } }),
    },
    endsTokens: true,
    endsSignIns: true,
  };
}

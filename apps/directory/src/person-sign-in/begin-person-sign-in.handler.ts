import { Controller, Inject } from '@nestjs/common';
import { beginPersonSignIn, type ReplyOf, type RequestContext, type RequestOf } from '@holdfast/contracts';
import { Handles } from '@holdfast/messaging';
import { authenticationOptions, challengeKeysOf, relyingPartyOf, signedChallenge, signInOf } from '@holdfast/passkeys';
import { CLOCK, type Clock } from '@holdfast/platform';
import { CONFIG } from '@holdfast/service';
import type { Config } from '../config.js';

/**
 * Begins the ceremony of a person's sign-in: options that name no passkey, bound to one interaction. It stores nothing,
 * since anybody may begin a sign-in.
 */
@Controller()
export class BeginPersonSignInHandler {
  constructor(
    @Inject(CONFIG) private readonly config: Config,
    @Inject(CLOCK) private readonly clock: Clock,
  ) {}

  @Handles(beginPersonSignIn)
  async handle(
    { interaction, relyingParty }: RequestOf<typeof beginPersonSignIn>,
    { org }: RequestContext,
  ): Promise<ReplyOf<typeof beginPersonSignIn>> {
    const challenge = signedChallenge(
      challengeKeysOf(this.config, 'people'),
      signInOf(org, interaction),
      this.clock.now(),
    );
    const rp = relyingPartyOf(this.config.relyingParty, relyingParty);
    return {
      options: await authenticationOptions(rp, challenge),
      ...(rp.earlierId !== undefined && { earlierRpId: rp.earlierId }),
    };
  }
}

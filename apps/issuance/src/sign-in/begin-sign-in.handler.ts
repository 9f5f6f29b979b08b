import { Controller, Inject } from '@nestjs/common';
import { beginSignIn, type ReplyOf, type RequestContext, type RequestOf } from '@holdfast/contracts';
import { Handles } from '@holdfast/messaging';
import { authenticationOptions, challengeKeysOf, relyingPartyOf, signedChallenge, signInOf } from '@holdfast/passkeys';
import { CLOCK, type Clock } from '@holdfast/platform';
import { CONFIG } from '@holdfast/service';
import type { IssuanceConfig } from '../config.js';

/**
 * Begins the ceremony of a sign-in: options that name no passkey, bound to one interaction. It stores nothing, since
 * anybody may begin a sign-in.
 */
@Controller()
export class BeginSignInHandler {
  constructor(
    @Inject(CONFIG) private readonly config: IssuanceConfig,
    @Inject(CLOCK) private readonly clock: Clock,
  ) {}

  @Handles(beginSignIn)
  async beginSignIn(
    { interaction, relyingParty }: RequestOf<typeof beginSignIn>,
    { org }: RequestContext,
  ): Promise<ReplyOf<typeof beginSignIn>> {
    const challenge = signedChallenge(
      challengeKeysOf(this.config, 'customers'),
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

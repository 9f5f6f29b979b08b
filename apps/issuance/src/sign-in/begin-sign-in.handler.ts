import { Controller, Inject } from '@nestjs/common';
import { beginSignIn, type ReplyOf, type RequestContext, type RequestOf } from '@holdfast/contracts';
import { Handles } from '@holdfast/messaging';
import { SignInCeremony } from '@holdfast/passkeys';
import { CLOCK, type Clock } from '@holdfast/platform';
import { CONFIG } from '@holdfast/service';
import type { IssuanceConfig } from '../config.js';

/** Begins the ceremony of a customer's sign-in. */
@Controller()
export class BeginSignInHandler {
  private readonly ceremony: SignInCeremony;

  constructor(
    @Inject(CONFIG) config: IssuanceConfig,
    @Inject(CLOCK) private readonly clock: Clock,
  ) {
    this.ceremony = new SignInCeremony(config, 'customers');
  }

  @Handles(beginSignIn)
  beginSignIn(signIn: RequestOf<typeof beginSignIn>, { org }: RequestContext): Promise<ReplyOf<typeof beginSignIn>> {
    return this.ceremony.begin({ org, ...signIn }, this.clock.now());
  }
}

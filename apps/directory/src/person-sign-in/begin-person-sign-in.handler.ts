import { Controller, Inject } from '@nestjs/common';
import { beginPersonSignIn, type ReplyOf, type RequestContext, type RequestOf } from '@holdfast/contracts';
import { Handles } from '@holdfast/messaging';
import { SignInCeremony } from '@holdfast/passkeys';
import { CLOCK, type Clock } from '@holdfast/platform';
import { CONFIG } from '@holdfast/service';
import type { Config } from '../config.js';

/** Begins the ceremony of a person's sign-in. */
@Controller()
export class BeginPersonSignInHandler {
  private readonly ceremony: SignInCeremony;

  constructor(
    @Inject(CONFIG) config: Config,
    @Inject(CLOCK) private readonly clock: Clock,
  ) {
    this.ceremony = new SignInCeremony(config, 'people');
  }

  @Handles(beginPersonSignIn)
  handle(
    signIn: RequestOf<typeof beginPersonSignIn>,
    { org }: RequestContext,
  ): Promise<ReplyOf<typeof beginPersonSignIn>> {
    return this.ceremony.begin({ org, ...signIn }, this.clock.now());
  }
}

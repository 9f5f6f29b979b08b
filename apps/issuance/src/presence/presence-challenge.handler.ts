import { Controller, Inject } from '@nestjs/common';
import { presenceChallenge, type ReplyOf, type RequestContext, type RequestOf } from '@holdfast/contracts';
import { Handles } from '@holdfast/messaging';
import { CLOCK, type Clock } from '@holdfast/platform';
import { AltchaProvider } from './altcha.provider.js';
import { allowedOrigin, Apps } from './apps.js';

/** GET …/presence/challenge: the widget on an app's sign-up form requests it. Nothing is stored. */
@Controller()
export class PresenceChallengeHandler {
  constructor(
    private readonly apps: Apps,
    private readonly altcha: AltchaProvider,
    @Inject(CLOCK) private readonly clock: Clock,
  ) {}

  @Handles(presenceChallenge)
  async handle(
    { clientId, origin }: RequestOf<typeof presenceChallenge>,
    { org }: RequestContext,
  ): Promise<ReplyOf<typeof presenceChallenge>> {
    const app = await this.apps.require(org, clientId);
    const challenge = await this.altcha.challenge({ org, app: clientId, now: this.clock.now() });
    return { challenge, ...allowedOrigin(app, origin) };
  }
}

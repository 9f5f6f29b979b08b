import { Injectable } from '@nestjs/common';
import type { Presence } from '@holdfast/contracts';
import { AltchaProvider } from './altcha.provider.js';
import { PresencePolicies } from './presence-policies.js';
import { presenceError, type PresenceContext, type Proof } from './provider.js';
import { TurnstileProvider } from './turnstile.provider.js';

/** Decides whether the presence policy of the organization allows an offer. */
@Injectable()
export class PresenceCheck {
  constructor(
    private readonly policies: PresencePolicies,
    private readonly altcha: AltchaProvider,
    private readonly turnstile: TurnstileProvider,
  ) {}

  /**
   * Verifies a proof whenever one is sent: an invalid one is denied even where none is required. Undefined when none
   * was sent and none is required. The policy is about the sign-up form, so a further offer to an existing customer,
   * which requires `issued:manage`, never requires a proof; neither does a person, who
   * has signed in.
   */
  async verify(
    presence: Presence | undefined,
    context: PresenceContext,
    mayNeedProof: boolean,
  ): Promise<Proof | undefined> {
    if (presence)
      return presence.type === 'altcha'
        ? this.altcha.verify(presence, context)
        : this.turnstile.verify(presence, context);
    if (!mayNeedProof) return undefined;
    const { policy } = await this.policies.of(context.org);
    if (policy === 'required')
      throw presenceError('presence_required', 'This organization takes no offer without a proof of presence.');
    return undefined;
  }
}

import { Controller, Inject } from '@nestjs/common';
import { getClaim, type ReplyOf, type RequestContext, type RequestOf } from '@holdfast/contracts';
import { Handles } from '@holdfast/messaging';
import { CLOCK, type Clock } from '@holdfast/platform';
import { CONFIG } from '@holdfast/service';
import { claimHashesOf, type IssuanceConfig } from '../config.js';
import { CredentialTypes } from '../credential-types/credential-types.js';
import { claimState } from './claim.js';
import { Claims } from './find-claim.js';

/** Reads what the claim page shows. It changes nothing, so that link scanners are harmless (product §2). */
@Controller()
export class GetClaimHandler {
  constructor(
    private readonly claims: Claims,
    private readonly types: CredentialTypes,
    @Inject(CONFIG) private readonly config: IssuanceConfig,
    @Inject(CLOCK) private readonly clock: Clock,
  ) {}

  @Handles(getClaim)
  async getClaim({ token }: RequestOf<typeof getClaim>, { org }: RequestContext): Promise<ReplyOf<typeof getClaim>> {
    const { offer, credential, type, adds } = await this.claims.find(claimHashesOf(this.config, token), org);
    const { name, display } = await this.types.find(org, type);
    return {
      state: claimState(offer, credential, this.clock.now()),
      credentialType: { name, display, ...((await this.types.all(org)).length === 1 && { only: true }) },
      ...(adds && { adds }),
      recovery: !adds && credential.status === 'issued' && offer.status === 'open',
      expiresAt: offer.expiresAt.toISOString(),
      ...(offer.returnUrl && { returnUrl: offer.returnUrl }),
    };
  }
}

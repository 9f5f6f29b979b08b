import { Controller, Inject } from '@nestjs/common';
import { beginClaim, type ReplyOf, type RequestContext, type RequestOf } from '@holdfast/contracts';
import { Database } from '@holdfast/data';
import { Handles } from '@holdfast/messaging';
import { storeChallenge } from '@holdfast/passkeys';
import { AppError, CLOCK, type Clock } from '@holdfast/platform';
import { CONFIG } from '@holdfast/service';
import { claimHashesOf, type IssuanceConfig } from '../config.js';
import { CredentialTypes } from '../credential-types/credential-types.js';
import { PasskeyAdditions } from '../passkeys/passkey-additions.js';
import { optionsOf } from '../passkeys/registration-options.js';
import { CustomerHandles } from '../passkeys/user-handle.js';
import { claimCeremony } from './claim-ceremony.js';
import { claimState, requireOpen } from './claim.js';
import { Claims } from './find-claim.js';

/** Begins the ceremony of a claim: options for a passkey, bound to the offer and the browser. */
@Controller()
export class BeginClaimHandler {
  constructor(
    private readonly database: Database,
    private readonly claims: Claims,
    private readonly types: CredentialTypes,
    private readonly handles: CustomerHandles,
    private readonly additions: PasskeyAdditions,
    @Inject(CONFIG) private readonly config: IssuanceConfig,
    @Inject(CLOCK) private readonly clock: Clock,
  ) {}

  @Handles(beginClaim)
  async beginClaim(
    { token, organizationName, browser, relyingParty: ids }: RequestOf<typeof beginClaim>,
    { org }: RequestContext,
  ): Promise<ReplyOf<typeof beginClaim>> {
    const found = await this.claims.find(claimHashesOf(this.config, token), org);
    const { subject, type, offer, credential, replacesPasskeys } = found;
    const now = this.clock.now();
    requireOpen(claimState(offer, credential, now));
    const { holders, display } = await this.types.find(org, type);
    if (!holders.includes('passkey')) throw new AppError('invalid_state', `"${display}" cannot be held by a passkey.`);

    const limits = found.adds ? await this.additions.limits(org) : [];
    const begun = await this.database.transaction(async (sql) => {
      const exclude = found.adds ? await this.additions.check(sql, { subject }, org, limits, now) : [];
      const { handle, nextHandle } = await this.handles.forClaim(sql, subject, org, replacesPasskeys);
      const ceremony = claimCeremony(org, { ...found, ...(nextHandle && { nextHandle }) }, browser);
      return { handle: nextHandle ?? handle, challenge: await storeChallenge(sql, ceremony, now), exclude };
    });
    return { options: await optionsOf(begun, organizationName, this.config, ids) };
  }
}

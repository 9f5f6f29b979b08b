import { Controller, Inject } from '@nestjs/common';
import { completeClaim, type ReplyOf, type RequestContext, type RequestOf } from '@holdfast/contracts';
import { Database } from '@holdfast/data';
import { Handles } from '@holdfast/messaging';
import { Outbox } from '@holdfast/outbox';
import {
  providerName,
  readRegistration,
  relyingPartyOf,
  takeChallenge,
  verifyRegistration,
  type Binding,
  type NewPasskey,
} from '@holdfast/passkeys';
import { AppError, CLOCK, keyedHash, type Clock } from '@holdfast/platform';
import { CONFIG } from '@holdfast/service';
import type { IssuanceConfig } from '../config.js';
import { CredentialTypes } from '../credential-types/credential-types.js';
import { newCode } from '../customer/code.js';
import { lockCustomer } from '../customer/customer.repository.js';
import { commitChange, type Committed } from '../customer/customers.js';
import { expireDue } from '../customer/expiration.js';
import { claimCeremony } from './claim-ceremony.js';
import { claimRecord } from './claim-record.js';
import { claimed, claimState, requireOpen } from './claim.js';
import { findClaim, type FoundClaim } from './find-claim.js';
import { addPasskey, removePasskeys } from './passkeys.js';

/**
 * Ends the ceremony of a claim: the passkey is kept and the credential issued, in one transaction; exactly one wins.
 */
@Controller()
export class CompleteClaimHandler {
  constructor(
    private readonly database: Database,
    private readonly outbox: Outbox,
    private readonly types: CredentialTypes,
    @Inject(CONFIG) private readonly config: IssuanceConfig,
    @Inject(CLOCK) private readonly clock: Clock,
  ) {}

  @Handles(completeClaim)
  async completeClaim(
    { token, response, browser, relyingParty: ids }: RequestOf<typeof completeClaim>,
    context: RequestContext,
  ): Promise<ReplyOf<typeof completeClaim>> {
    const { SECRET_PEPPER, relyingParty } = this.config;
    const rp = relyingPartyOf(relyingParty, ids);
    const tokenHash = keyedHash(SECRET_PEPPER, token);
    const found = await findClaim(this.database, tokenHash, context.org);
    requireOpen(claimState(found.offer, found.credential, this.clock.now()));
    const answer = readRegistration(response);
    await this.take(
      answer.challenge,
      context,
      tokenHash,
      claimCeremony(context.org, found.offerId, found.subject, browser),
    );
    const passkey = await verifyRegistration(rp, answer);

    const { rows, mark } = await this.issue(found, passkey, rp.id, context);
    await this.outbox.published(rows, mark);
    const { returnUrl } = found.offer;
    return { subject: found.subject, ...(returnUrl && { returnUrl }) };
  }

  /** Whoever was overtaken meanwhile hears that, and not that the ceremony took too long. */
  private async take(challenge: string, { org }: RequestContext, tokenHash: Buffer, binding: Binding): Promise<void> {
    try {
      await takeChallenge(this.database, challenge, binding, this.clock.now());
    } catch (error) {
      if (error instanceof AppError) {
        const { offer, credential } = await findClaim(this.database, tokenHash, org);
        requireOpen(claimState(offer, credential, this.clock.now()));
      }
      throw error;
    }
  }

  /**
   * Under the customer's lock, where the offer is looked at once more: it may have ended while the passkey was made.
   */
  private async issue(
    { offerId, subject, app, type }: FoundClaim,
    passkey: NewPasskey,
    rpId: string,
    context: RequestContext,
  ): Promise<Committed> {
    const { org } = context;
    const { validity } = await this.types.find(org, type);
    const holderApp = providerName(passkey.aaguid);
    const terms = {
      documentNumber: newCode(16),
      ...(validity !== undefined && { validity }),
      ...(holderApp && { holderApp }),
    };
    return this.database.transaction(async (sql) => {
      const before = await lockCustomer(sql, subject, org, app);
      if (!before) throw new AppError('unknown_claim');
      const now = this.clock.now();
      const ends = expireDue(before, now);
      const claim = claimed(ends.customer, offerId, terms, now);
      if (claim.replacesPasskeys) await removePasskeys(sql, subject);
      await addPasskey(sql, { ...passkey, subject, org, rpId, createdAt: now });
      // Who claims is the customer: the record says so, though the link came without a name.
      const asCustomer: RequestContext = { ...context, actor: { type: 'customer', id: subject } };
      const change = { ...claim, events: [...ends.events, ...claim.events] };
      return commitChange(sql, this.outbox, before, change, asCustomer, now, claimRecord(claim, offerId));
    });
  }
}

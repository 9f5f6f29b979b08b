import { Controller, Inject } from '@nestjs/common';
import { completeClaim, type ReplyOf, type RequestContext, type RequestOf } from '@holdfast/contracts';
import { Database } from '@holdfast/data';
import { Handles } from '@holdfast/messaging';
import {
  consumeChallenge,
  noPasskeysOf,
  passkeyIdOf,
  providerName,
  readRegistration,
  relyingPartyOf,
  verifyRegistration,
  type Binding,
  type NewPasskey,
} from '@holdfast/passkeys';
import { AppError, CLOCK, type Clock } from '@holdfast/platform';
import { CONFIG } from '@holdfast/service';
import { claimHashesOf, type IssuanceConfig } from '../config.js';
import { CredentialTypes } from '../credential-types/credential-types.js';
import { newCode } from '../customer/code.js';
import { Customers } from '../customer/customers.js';
import { byClaim } from '../customer/locators.js';
import { requireMayAdd } from '../passkeys/passkey-rules.js';
import { addPasskey, removePasskeys } from '../passkeys/passkeys.repository.js';
import { claimCeremony } from './claim-ceremony.js';
import { claimRecord } from './claim-record.js';
import { claimed, claimState, requireOpen } from './claim.js';
import { Claims, type FoundClaim } from './find-claim.js';

/** Completes the ceremony of a claim: stores the passkey and issues the credential. Exactly one claim succeeds. */
@Controller()
export class CompleteClaimHandler {
  constructor(
    private readonly database: Database,
    private readonly claims: Claims,
    private readonly customers: Customers,
    private readonly types: CredentialTypes,
    @Inject(CONFIG) private readonly config: IssuanceConfig,
    @Inject(CLOCK) private readonly clock: Clock,
  ) {}

  @Handles(completeClaim)
  async handle(
    { token, response, browser, relyingParty: ids }: RequestOf<typeof completeClaim>,
    context: RequestContext,
  ): Promise<ReplyOf<typeof completeClaim>> {
    const rp = relyingPartyOf(this.config.relyingParty, ids);
    const tokenHashes = claimHashesOf(this.config, token);
    const found = await this.claims.find(tokenHashes, context.org);
    const { subject, offer } = found;
    requireOpen(claimState(offer, found.credential, this.clock.now()));
    const registration = readRegistration(response);
    const ceremony = claimCeremony(context.org, found, browser);
    await this.consume(registration.challenge, ceremony, tokenHashes, context.org);
    const passkey = await verifyRegistration(rp, registration);
    const replacedHandle = await this.claim(found, passkey, rp.id, context);
    return {
      subject,
      ...(offer.returnUrl && { returnUrl: offer.returnUrl }),
      ...(replacedHandle && { acceptedPasskeys: noPasskeysOf(rp, replacedHandle) }),
    };
  }

  /** When the offer was closed during the ceremony, that is the error, and not that the ceremony has expired. */
  private async consume(
    challenge: string,
    ceremony: Binding,
    tokenHashes: readonly Buffer[],
    org: string,
  ): Promise<void> {
    try {
      await consumeChallenge(this.database, challenge, ceremony, this.clock.now());
    } catch (error) {
      if (error instanceof AppError) {
        const { offer, credential } = await this.claims.find(tokenHashes, org);
        requireOpen(claimState(offer, credential, this.clock.now()));
      }
      throw error;
    }
  }

  /**
   * The rule checks the offer again under the customer's lock: it may have been closed during the ceremony.
   * @returns the user handle of the passkeys that were replaced, if the new one has another
   */
  private async claim(
    found: FoundClaim,
    passkey: NewPasskey,
    rpId: string,
    context: RequestContext,
  ): Promise<Buffer | undefined> {
    const { org } = context;
    const { offerId, subject, app, type, nextHandle } = found;
    const { validity } = await this.types.find(org, type);
    const holderApp = providerName(passkey.aaguid);
    const terms = {
      documentNumber: newCode(16),
      ...(validity !== undefined && { validity }),
      ...(holderApp && { holderApp }),
    };
    // Before the transaction, which must not wait for a second connection.
    const limits = found.adds ? await this.types.list(org) : [];
    // The actor of the record is the customer, though the request with the claim token was anonymous.
    const asCustomer: RequestContext = { ...context, actor: { type: 'customer', id: subject } };
    return this.customers.change(byClaim(subject, app), asCustomer, async (customer, { sql, now }) => {
      if (found.adds) requireMayAdd(customer, limits, now);
      const id = passkeyIdOf(passkey.credentialId);
      const change = claimed(customer, offerId, { ...terms, passkey: { id, createdAt: now } }, now);
      // Its handle would be that of no customer.
      if (nextHandle && !change.replacesPasskeys) throw new AppError('ceremony_expired');
      const reply = change.replacesPasskeys ? await removePasskeys(sql, subject, nextHandle) : undefined;
      await addPasskey(sql, { ...passkey, subject, org, rpId, createdAt: now });
      return { change, reply, audited: claimRecord(change, offerId, id) };
    });
  }
}

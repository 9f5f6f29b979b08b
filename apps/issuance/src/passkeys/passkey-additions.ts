import { Inject, Injectable } from '@nestjs/common';
import type {
  AcceptedPasskeys,
  CredentialType,
  CustomerPasskey,
  RelyingPartyIds,
  WebAuthnJson,
} from '@holdfast/contracts';
import { Database, type Sql } from '@holdfast/data';
import {
  acceptedPasskeysOf,
  passkeyIdOf,
  storeChallenge,
  type Binding,
  type NewPasskey,
  type RelyingParty,
} from '@holdfast/passkeys';
import { AppError, CLOCK, type Clock } from '@holdfast/platform';
import { CONFIG } from '@holdfast/service';
import type { IssuanceConfig } from '../config.js';
import { CredentialTypes } from '../credential-types/credential-types.js';
import type { Customer } from '../customer/customer.js';
import { lockCustomer } from '../customer/customer.repository.js';
import type { RuleResult } from '../customer/customers.js';
import { passkeyRecord, requireStillSignedIn, type SignedInPage } from './account-access.js';
import { passkeyAdded, requireMayAdd } from './passkey-rules.js';
import { addPasskey, passkeysOf, toPasskey, type StoredPasskey } from './passkeys.repository.js';
import { optionsOf } from './registration-options.js';
import { CustomerHandles } from './user-handle.js';

/** The customer, and on the account page the passkey that signed in. */
type Adding = Pick<SignedInPage, 'subject'> & Partial<SignedInPage>;

interface Added {
  passkey: CustomerPasskey;
  acceptedPasskeys: AcceptedPasskeys;
}

/** What the ways to a further passkey have in common. */
@Injectable()
export class PasskeyAdditions {
  constructor(
    private readonly database: Database,
    private readonly types: CredentialTypes,
    private readonly handles: CustomerHandles,
    @Inject(CONFIG) private readonly config: IssuanceConfig,
    @Inject(CLOCK) private readonly clock: Clock,
  ) {}

  /** The limits, from the database: before a transaction, which must not wait for a second connection. */
  limits(org: string): Promise<CredentialType[]> {
    return this.types.list(org);
  }

  /**
   * Begins the ceremony of a further passkey.
   * @throws AppError as `check`
   */
  async begin(
    adding: Adding,
    ceremony: Binding,
    { org, organizationName, relyingParty }: { org: string; organizationName: string; relyingParty?: RelyingPartyIds },
  ): Promise<WebAuthnJson> {
    const limits = await this.limits(org);
    const now = this.clock.now();
    const begun = await this.database.transaction(async (sql) => {
      const exclude = await this.check(sql, adding, org, limits, now);
      const { handle } = await this.handles.forClaim(sql, adding.subject, org, false);
      return { handle, challenge: await storeChallenge(sql, ceremony, now), exclude };
    });
    return optionsOf(begun, organizationName, this.config, relyingParty);
  }

  /**
   * Locks the customer, and checks that they may add a passkey.
   * @returns the passkeys that they have: to be excluded, so that a device makes no second one for the same credential
   * @throws AppError invalid_state; unknown_claim or account_session_ended when the customer is erased or signed out
   */
  async check(
    sql: Sql,
    { subject, passkey }: Adding,
    org: string,
    limits: readonly CredentialType[],
    now: Date,
  ): Promise<StoredPasskey[]> {
    const customer = await lockCustomer(sql, subject, org);
    if (!customer) throw new AppError(passkey === undefined ? 'unknown_claim' : 'account_session_ended');
    if (passkey !== undefined) requireStillSignedIn(customer.passkeys, { subject, passkey });
    requireMayAdd(customer, limits, now);
    return passkeysOf(sql, subject, org);
  }

  /** Adds a verified passkey to a locked customer. @throws AppError invalid_state, passkey_invalid */
  async add(
    sql: Sql,
    customer: Customer,
    passkey: NewPasskey & { rpId: string },
    limits: readonly CredentialType[],
    rp: RelyingParty,
    now: Date,
  ): Promise<RuleResult<Added>> {
    const { id: subject, org } = customer;
    requireMayAdd(customer, limits, now);
    await addPasskey(sql, { ...passkey, subject, org, createdAt: now });
    const id = passkeyIdOf(passkey.credentialId);
    const all = await passkeysOf(sql, subject, org);
    return {
      change: passkeyAdded(customer, { id, createdAt: now }),
      reply: { passkey: toPasskey(all.find((one) => one.id === id)!), acceptedPasskeys: acceptedPasskeysOf(rp, all) },
      audited: passkeyRecord('passkey.add', subject, id),
    };
  }
}

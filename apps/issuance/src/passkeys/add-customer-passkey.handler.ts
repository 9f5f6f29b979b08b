import { Controller, Inject } from '@nestjs/common';
import {
  addCustomerPasskey,
  beginCustomerPasskey,
  type ReplyOf,
  type RequestContext,
  type RequestOf,
} from '@holdfast/contracts';
import { Database } from '@holdfast/data';
import { Handles } from '@holdfast/messaging';
import {
  ceremonies,
  consumeChallenge,
  readRegistration,
  relyingPartyOf,
  verifyRegistration,
  type Binding,
} from '@holdfast/passkeys';
import { CLOCK, type Clock } from '@holdfast/platform';
import { CONFIG } from '@holdfast/service';
import type { IssuanceConfig } from '../config.js';
import { Customers } from '../customer/customers.js';
import { asCustomer, byAccount, requireStillSignedIn, type SignedInPage } from './account-access.js';
import { PasskeyAdditions } from './passkey-additions.js';

/** A further passkey of a customer who has just signed in to the account page. */
@Controller()
export class AddCustomerPasskeyHandler {
  constructor(
    private readonly database: Database,
    private readonly customers: Customers,
    private readonly additions: PasskeyAdditions,
    @Inject(CONFIG) private readonly config: IssuanceConfig,
    @Inject(CLOCK) private readonly clock: Clock,
  ) {}

  @Handles(beginCustomerPasskey)
  async begin(
    { organizationName, browser, relyingParty, ...page }: RequestOf<typeof beginCustomerPasskey>,
    { org }: RequestContext,
  ): Promise<ReplyOf<typeof beginCustomerPasskey>> {
    const site = { org, organizationName, ...(relyingParty && { relyingParty }) };
    return { options: await this.additions.begin(page, ceremonyOf(org, page, browser), site) };
  }

  @Handles(addCustomerPasskey)
  async add(
    { browser, response, relyingParty, ...page }: RequestOf<typeof addCustomerPasskey>,
    context: RequestContext,
  ): Promise<ReplyOf<typeof addCustomerPasskey>> {
    const { org } = context;
    const rp = relyingPartyOf(this.config.relyingParty, relyingParty);
    const registration = readRegistration(response);
    const ceremony = ceremonyOf(org, page, browser);
    await consumeChallenge(this.database, registration.challenge, ceremony, this.clock.now());
    const passkey = { ...(await verifyRegistration(rp, registration)), rpId: rp.id };
    const limits = await this.additions.limits(org);
    return this.customers.change(byAccount(page.subject), asCustomer(context, page), (customer, { sql, now }) => {
      requireStillSignedIn(customer.passkeys, page);
      return this.additions.add(sql, customer, passkey, limits, rp, now);
    });
  }
}

/** A challenge is valid for the sign-in and browser that requested it, and is deleted with the customer. */
function ceremonyOf(org: string, { subject, passkey }: SignedInPage, browser: string): Binding {
  return { ceremony: ceremonies.addition, to: `${org}/${subject}/${passkey}`, owner: subject, browser };
}

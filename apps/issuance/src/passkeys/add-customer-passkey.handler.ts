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
  acceptedPasskeysOf,
  ceremonies,
  consumeChallenge,
  passkeyIdOf,
  readRegistration,
  relyingPartyOf,
  storeChallenge,
  verifyRegistration,
  type Binding,
} from '@holdfast/passkeys';
import { CLOCK, type Clock } from '@holdfast/platform';
import { CONFIG } from '@holdfast/service';
import type { IssuanceConfig } from '../config.js';
import { CredentialTypes } from '../credential-types/credential-types.js';
import { Customers } from '../customer/customers.js';
import { auditTarget } from '../customer/locators.js';
import { asCustomer, byAccount, requireStillSignedIn, type SignedInPage } from './account-access.js';
import { PasskeyAdditions } from './passkey-additions.js';
import { passkeyAdded, requireMayAdd } from './passkey-rules.js';
import { addPasskey, passkeysOf, toPasskey } from './passkeys.repository.js';
import { optionsOf } from './registration-options.js';
import { CustomerHandles } from './user-handle.js';

/** A further passkey of a customer who has just signed in to the account page. */
@Controller()
export class AddCustomerPasskeyHandler {
  constructor(
    private readonly database: Database,
    private readonly customers: Customers,
    private readonly types: CredentialTypes,
    private readonly handles: CustomerHandles,
    private readonly additions: PasskeyAdditions,
    @Inject(CONFIG) private readonly config: IssuanceConfig,
    @Inject(CLOCK) private readonly clock: Clock,
  ) {}

  @Handles(beginCustomerPasskey)
  async begin(
    { organizationName, browser, relyingParty, ...page }: RequestOf<typeof beginCustomerPasskey>,
    { org }: RequestContext,
  ): Promise<ReplyOf<typeof beginCustomerPasskey>> {
    const now = this.clock.now();
    const begun = await this.database.transaction(async (sql) => {
      const exclude = await this.additions.begin(sql, page, org, now);
      const { handle } = await this.handles.forClaim(sql, page.subject, org, false);
      return { handle, challenge: await storeChallenge(sql, ceremonyOf(org, page, browser), now), exclude };
    });
    return { options: await optionsOf(begun, organizationName, this.config, relyingParty) };
  }

  @Handles(addCustomerPasskey)
  async add(
    { browser, response, relyingParty, ...page }: RequestOf<typeof addCustomerPasskey>,
    context: RequestContext,
  ): Promise<ReplyOf<typeof addCustomerPasskey>> {
    const { org } = context;
    const { subject } = page;
    const rp = relyingPartyOf(this.config.relyingParty, relyingParty);
    const registration = readRegistration(response);
    const ceremony = ceremonyOf(org, page, browser);
    await consumeChallenge(this.database, registration.challenge, ceremony, this.clock.now());
    const passkey = await verifyRegistration(rp, registration);
    const id = passkeyIdOf(passkey.credentialId);
    return this.customers.change(byAccount(subject), asCustomer(context, page), async (customer, { sql, now }) => {
      requireStillSignedIn(customer, page);
      requireMayAdd(customer, await this.types.all(org), now);
      await addPasskey(sql, { ...passkey, subject, org, rpId: rp.id, createdAt: now });
      const rows = await passkeysOf(sql, subject, org);
      return {
        change: passkeyAdded(customer, { id, createdAt: now }),
        reply: {
          passkey: toPasskey(rows.find(({ credentialId }) => credentialId === passkey.credentialId)!),
          acceptedPasskeys: acceptedPasskeysOf(rp, rows),
        },
        audited: {
          action: 'passkey.add',
          targets: [auditTarget('customer', subject, subject), auditTarget('passkey', id, subject)],
          outcome: { result: 'success', status: 200 },
        },
      };
    });
  }
}

/** A challenge is valid for the sign-in and browser that requested it, and is deleted with the customer. */
function ceremonyOf(org: string, { subject, passkey }: SignedInPage, browser: string): Binding {
  return { ceremony: ceremonies.addition, to: `${org}/${subject}/${passkey}`, owner: subject, browser };
}

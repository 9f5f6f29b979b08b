import { Controller, Inject } from '@nestjs/common';
import {
  removeCustomerPasskey,
  renameCustomerPasskey,
  type ReplyOf,
  type RequestContext,
  type RequestOf,
} from '@holdfast/contracts';
import { Handles } from '@holdfast/messaging';
import { acceptedPasskeysOf, passkeyIdOf, relyingPartyOf } from '@holdfast/passkeys';
import type { Audited } from '@holdfast/platform';
import { CONFIG } from '@holdfast/service';
import type { IssuanceConfig } from '../config.js';
import { Customers } from '../customer/customers.js';
import { auditTarget } from '../customer/locators.js';
import { asCustomer, byAccount, requireStillSignedIn } from './account-access.js';
import { passkeyRemoved, passkeyRenamed } from './passkey-rules.js';
import { passkeysOf, removePasskey, renamePasskey, toPasskey } from './passkeys.repository.js';

/** Names and removes passkeys, for a customer who has just signed in to the account page. */
@Controller()
export class ManageCustomerPasskeyHandler {
  constructor(
    private readonly customers: Customers,
    @Inject(CONFIG) private readonly config: IssuanceConfig,
  ) {}

  @Handles(renameCustomerPasskey)
  rename(
    { renamed, name, ...page }: RequestOf<typeof renameCustomerPasskey>,
    context: RequestContext,
  ): Promise<ReplyOf<typeof renameCustomerPasskey>> {
    const { subject } = page;
    return this.customers.change(byAccount(subject), asCustomer(context, page), async (customer, { sql }) => {
      requireStillSignedIn(customer, page);
      const change = passkeyRenamed(customer, renamed);
      await renamePasskey(sql, subject, renamed, name);
      const rows = await passkeysOf(sql, subject, context.org);
      const row = rows.find(({ credentialId }) => passkeyIdOf(credentialId) === renamed)!;
      return { change, reply: { passkey: toPasskey(row) }, audited: audited('passkey.rename', subject, renamed) };
    });
  }

  @Handles(removeCustomerPasskey)
  remove(
    { removed, relyingParty, ...page }: RequestOf<typeof removeCustomerPasskey>,
    context: RequestContext,
  ): Promise<ReplyOf<typeof removeCustomerPasskey>> {
    const { subject } = page;
    const rp = relyingPartyOf(this.config.relyingParty, relyingParty);
    return this.customers.change(byAccount(subject), asCustomer(context, page), async (customer, { sql }) => {
      requireStillSignedIn(customer, page);
      const change = passkeyRemoved(customer, removed);
      await removePasskey(sql, subject, removed);
      const reply = { acceptedPasskeys: acceptedPasskeysOf(rp, await passkeysOf(sql, subject, context.org)) };
      return { change, reply, audited: audited('passkey.remove', subject, removed) };
    });
  }
}

function audited(action: Audited['action'], subject: string, passkey: string): Audited {
  return {
    action,
    targets: [auditTarget('customer', subject, subject), auditTarget('passkey', passkey, subject)],
    outcome: { result: 'success', status: 200 },
  };
}

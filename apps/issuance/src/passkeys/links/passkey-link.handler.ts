import { Controller, Inject } from '@nestjs/common';
import {
  confirmPasskeyLink,
  createPasskeyLink,
  endPasskeyLink,
  getPasskeyLink,
  passkeyLinkSeconds,
  type ReplyOf,
  type RequestContext,
  type RequestOf,
} from '@holdfast/contracts';
import { Database } from '@holdfast/data';
import { Handles } from '@holdfast/messaging';
import { providerName, relyingPartyOf } from '@holdfast/passkeys';
import { AppError, CLOCK, newSecret, type Clock } from '@holdfast/platform';
import { CONFIG } from '@holdfast/service';
import type { IssuanceConfig } from '../../config.js';
import { Customers } from '../../customer/customers.js';
import { asCustomer, byAccount, requireStillSignedIn, type SignedInPage } from '../account-access.js';
import { PasskeyAdditions } from '../passkey-additions.js';
import { passkeysOf } from '../passkeys.repository.js';
import { confirmLink, linkOfSubject, removeLink, storeLink } from './passkey-links.repository.js';

/** The link by which another device makes a passkey, for the page that made it. */
@Controller()
export class PasskeyLinkHandler {
  constructor(
    private readonly database: Database,
    private readonly customers: Customers,
    private readonly additions: PasskeyAdditions,
    @Inject(CONFIG) private readonly config: IssuanceConfig,
    @Inject(CLOCK) private readonly clock: Clock,
  ) {}

  @Handles(createPasskeyLink)
  async create(
    page: RequestOf<typeof createPasskeyLink>,
    { org }: RequestContext,
  ): Promise<ReplyOf<typeof createPasskeyLink>> {
    const limits = await this.additions.limits(org);
    const now = this.clock.now();
    const expiresAt = new Date(now.getTime() + passkeyLinkSeconds * 1000);
    const token = newSecret();
    await this.database.transaction(async (sql) => {
      await this.additions.check(sql, page, org, limits, now);
      await storeLink(sql, { subject: page.subject, org, token, madeWith: page.passkey, expiresAt });
    });
    return { token, expiresAt: expiresAt.toISOString() };
  }

  @Handles(getPasskeyLink)
  async get(page: RequestOf<typeof getPasskeyLink>, { org }: RequestContext): Promise<ReplyOf<typeof getPasskeyLink>> {
    await this.requireSignedIn(page, org);
    const link = await linkOfSubject(this.database, page.subject, org);
    if (!link || link.expiresAt <= this.clock.now()) return { state: 'none' };
    const { passkey, code, confirmed } = link;
    if (!passkey || code === null) return { state: 'open' };
    const name = providerName(passkey.aaguid);
    return { state: confirmed ? 'confirmed' : 'created', code, ...(name !== undefined && { name }) };
  }

  @Handles(confirmPasskeyLink)
  async confirm(
    { code, relyingParty, ...page }: RequestOf<typeof confirmPasskeyLink>,
    context: RequestContext,
  ): Promise<ReplyOf<typeof confirmPasskeyLink>> {
    const { org } = context;
    const { subject } = page;
    const limits = await this.additions.limits(org);
    const rp = relyingPartyOf(this.config.relyingParty, relyingParty);
    return this.customers.change(byAccount(subject), asCustomer(context, page), async (customer, { sql, now }) => {
      requireStillSignedIn(customer.passkeys, page);
      const pending = await confirmLink(sql, { subject, org, code }, now);
      if (!pending) throw new AppError('passkey_link_expired');
      const passkey = { ...pending, publicKey: Buffer.from(pending.publicKey, 'base64url') };
      return this.additions.add(sql, customer, passkey, limits, rp, now);
    });
  }

  @Handles(endPasskeyLink)
  async end(page: RequestOf<typeof endPasskeyLink>, { org }: RequestContext): Promise<ReplyOf<typeof endPasskeyLink>> {
    await this.requireSignedIn(page, org);
    await removeLink(this.database, page.subject, org);
    return {};
  }

  private async requireSignedIn(page: SignedInPage, org: string): Promise<void> {
    requireStillSignedIn(await passkeysOf(this.database, page.subject, org), page);
  }
}

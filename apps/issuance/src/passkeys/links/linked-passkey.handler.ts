import { Controller, Inject } from '@nestjs/common';
import {
  beginLinkedPasskey,
  completeLinkedPasskey,
  readPasskeyLink,
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
import { AppError, CLOCK, sha256, type Clock } from '@holdfast/platform';
import { CONFIG } from '@holdfast/service';
import type { IssuanceConfig } from '../../config.js';
import { newCode } from '../../customer/code.js';
import { PasskeyAdditions } from '../passkey-additions.js';
import { passkeysOf } from '../passkeys.repository.js';
import { linkOfToken, storePendingPasskey, type PasskeyLink } from './passkey-links.repository.js';

type State = ReplyOf<typeof readPasskeyLink>['state'];

/** What the device that opens the link does. Its passkey signs in once the page that made the link confirms it. */
@Controller()
export class LinkedPasskeyHandler {
  constructor(
    private readonly database: Database,
    private readonly additions: PasskeyAdditions,
    @Inject(CONFIG) private readonly config: IssuanceConfig,
    @Inject(CLOCK) private readonly clock: Clock,
  ) {}

  @Handles(readPasskeyLink)
  async read(
    { token }: RequestOf<typeof readPasskeyLink>,
    { org }: RequestContext,
  ): Promise<ReplyOf<typeof readPasskeyLink>> {
    const link = await this.find(token, org);
    return { state: this.stateOf(link), expiresAt: link.expiresAt.toISOString() };
  }

  @Handles(beginLinkedPasskey)
  async begin(
    { token, browser, organizationName, relyingParty }: RequestOf<typeof beginLinkedPasskey>,
    { org }: RequestContext,
  ): Promise<ReplyOf<typeof beginLinkedPasskey>> {
    const { subject } = await this.findOpen(token, org);
    const site = { org, organizationName, ...(relyingParty && { relyingParty }) };
    const ceremony = ceremonyOf(org, subject, token, browser);
    return { options: await this.additions.begin({ subject }, ceremony, site) };
  }

  @Handles(completeLinkedPasskey)
  async complete(
    { token, browser, response, relyingParty }: RequestOf<typeof completeLinkedPasskey>,
    { org }: RequestContext,
  ): Promise<ReplyOf<typeof completeLinkedPasskey>> {
    const { subject } = await this.findOpen(token, org);
    const rp = relyingPartyOf(this.config.relyingParty, relyingParty);
    const registration = readRegistration(response);
    const now = this.clock.now();
    await consumeChallenge(this.database, registration.challenge, ceremonyOf(org, subject, token, browser), now);
    const { publicKey, ...passkey } = await verifyRegistration(rp, registration);
    const pending = { ...passkey, publicKey: publicKey.toString('base64url'), rpId: rp.id };
    const code = newCode(4);
    if (!(await storePendingPasskey(this.database, { token, org, passkey: pending, code }, now)))
      throw new AppError('passkey_link_used');
    return { code };
  }

  /** A link ends with the passkey that was signed in with where it was made. @throws unknown_passkey_link */
  private async find(token: string, org: string): Promise<PasskeyLink> {
    const link = await linkOfToken(this.database, token, org);
    const passkeys = link ? await passkeysOf(this.database, link.subject, org) : [];
    if (!link || !passkeys.some(({ id }) => id === link.madeWith)) throw new AppError('unknown_passkey_link');
    return link;
  }

  /** @throws unknown_passkey_link, passkey_link_used, passkey_link_expired */
  private async findOpen(token: string, org: string): Promise<PasskeyLink> {
    const link = await this.find(token, org);
    const state = this.stateOf(link);
    if (state !== 'open') throw new AppError(state === 'used' ? 'passkey_link_used' : 'passkey_link_expired');
    return link;
  }

  private stateOf({ passkey, expiresAt }: PasskeyLink): State {
    return passkey ? 'used' : expiresAt <= this.clock.now() ? 'expired' : 'open';
  }
}

/** A challenge is valid for this link and browser, and is deleted with the customer. */
function ceremonyOf(org: string, subject: string, token: string, browser: string): Binding {
  const link = sha256(token).toString('base64url');
  return { ceremony: ceremonies.addition, to: `${org}/${subject}/${link}`, owner: subject, browser };
}

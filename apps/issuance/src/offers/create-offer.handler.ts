import { Controller, Inject } from '@nestjs/common';
import {
  createOffer,
  getApp,
  offerSchema,
  type Offer,
  type OfferRequest,
  type ReplyOf,
  type RequestContext,
  type RequestOf,
} from '@holdfast/contracts';
import { Database, type Sql } from '@holdfast/data';
import { Bus, Handles } from '@holdfast/messaging';
import { Outbox, type OutboxRow } from '@holdfast/outbox';
import {
  AppError,
  CLOCK,
  customerKey,
  keyedHash,
  newId,
  newOpaqueId,
  newSecret,
  unprocessable,
  type Clock,
} from '@holdfast/platform';
import { CONFIG } from '@holdfast/service';
import type { IssuanceConfig } from '../config.js';
import { CredentialTypes } from '../credential-types/credential-types.js';
import type { Change } from '../customer/change.js';
import { eventsOf } from '../customer/customer-event.js';
import type { Customer } from '../customer/customer.js';
import { Idempotency, idempotencyKey, sealResponse, type IdempotencyKey } from '../idempotency/idempotency.js';
import { consuming } from '../presence/consumed-proofs.js';
import { PresenceCheck } from '../presence/presence-check.js';
import type { Proof } from '../presence/provider.js';
import { insertFurtherOffer } from './insert-further-offer.js';
import { insertFirstOffer } from './insert-offer.js';
import { firstOffer, offerTimes, type OfferTerms } from './offer.js';

type Reply = ReplyOf<typeof createOffer>;

/** POST …/credentials/offers (specification §4.1). */
@Controller()
export class CreateOfferHandler {
  constructor(
    private readonly database: Database,
    private readonly outbox: Outbox,
    private readonly bus: Bus,
    private readonly types: CredentialTypes,
    private readonly presence: PresenceCheck,
    private readonly idempotency: Idempotency,
    @Inject(CONFIG) private readonly config: IssuanceConfig,
    @Inject(CLOCK) private readonly clock: Clock,
  ) {}

  @Handles(createOffer)
  async createOffer(
    { offer: request, idempotencyKey: given }: RequestOf<typeof createOffer>,
    context: RequestContext,
  ): Promise<Reply> {
    const key = given === undefined ? undefined : idempotencyKey(context, given, request, this.clock.now());
    // Before anything else: a repeated request gets the answer of the first, whatever has changed since.
    const earlier = key && (await this.replay(key));
    if (earlier) return earlier;
    return this.offer(request, context, key).catch((error: unknown) => this.replayedMeanwhile(error, key));
  }

  private async offer(request: OfferRequest, context: RequestContext, key?: IdempotencyKey): Promise<Reply> {
    const { org, actor } = context;
    const now = this.clock.now();
    const proof = await this.presence.verify(
      request.presence,
      { org, app: actor.id, now },
      request.subject === undefined,
    );
    const { OFFER_MIN_SECONDS: min, OFFER_MAX_SECONDS: max, OFFER_DEFAULT_SECONDS: fallback } = this.config;
    const times = offerTimes(request, now, { min, max, fallback });
    const type = await this.types.find(org, request.credentialType);
    if (request.returnUrl !== undefined) await this.checkReturnUrl(request.returnUrl, context);

    const terms: OfferTerms = { type, ...times, ...(request.returnUrl && { returnUrl: request.returnUrl }) };
    return this.make(terms, request, context, now, key, proof);
  }

  private async make(
    terms: OfferTerms,
    request: OfferRequest,
    context: RequestContext,
    now: Date,
    key?: IdempotencyKey,
    proof?: Proof,
  ): Promise<Reply> {
    const { org, actor } = context;
    const token = newSecret();
    const ids = { offer: newId(), credential: newId() };
    const secret = { offerId: ids.offer, tokenHash: keyedHash(this.config.SECRET_PEPPER, token) };
    const prepare = (change: Change) => {
      const {
        customer: { id: holder },
      } = change;
      const offer = this.answer(change.customer, ids.offer, token);
      const events = eventsOf(change, context, now, {
        action: 'offer.create',
        targets: [
          { type: 'customer', id: holder, dataSubject: holder },
          { type: 'offer', id: ids.offer, dataSubject: holder },
          { type: 'credential', id: offer.credentialId, dataSubject: holder },
        ],
        outcome: { result: 'success', status: 201 },
        changes: {
          credentialType: { to: offer.credentialType },
          expiresAt: { to: offer.expiresAt },
          ...(proof && { presence: { to: { provider: proof.provider, outcome: 'verified' } } }),
        },
      });
      const rows = events.map((event) => this.outbox.row(event));
      return {
        offer,
        rows,
        ...(key && { stored: { ...key, answer: sealResponse(this.config.KEY_ENCRYPTION_KEY, key, offer) } }),
      };
    };

    if (request.subject !== undefined) {
      const who = { id: request.subject, org, app: actor.id };
      const further = (sql: Sql) => insertFurtherOffer(sql, who, terms, ids, secret, now, prepare);
      const made = await (proof ? consuming(this.database, org, proof, further) : this.database.transaction(further));
      return made ? this.publish(made.offer, made.rows, made.customer) : this.replayed(key);
    }
    const change = firstOffer({ id: newOpaqueId(), org, app: actor.id }, terms, ids, now);
    const { customer } = change;
    const { offer, rows, stored } = prepare(change);
    const first = (sql: Sql) => insertFirstOffer(sql, customer, secret, rows[0]!, stored);
    const made = await (proof
      ? consuming(this.database, org, proof, async (sql) => (await first(sql)) || undefined)
      : first(this.database));
    if (!made) return this.replayed(key);
    return this.publish(offer, rows, customer);
  }

  private async publish(offer: Offer, rows: OutboxRow[], { org, id, version }: Customer): Promise<Reply> {
    await this.outbox.published(rows, { org, aggregate: customerKey(org, id), version });
    return { offer, replayed: false };
  }

  private answer(customer: Customer, offerId: string, token: string): Offer {
    const offer = customer.offers.find((o) => o.id === offerId)!;
    const credential = customer.credentials.find((c) => c.id === offer.credentialId)!;
    return {
      subject: customer.id,
      // In the fragment, so that no server log and no Referer ever has it (product §2).
      claimUrl: `${this.config.BASE_URL}/o/${customer.org}/claim#${token}`,
      offerId,
      credentialId: credential.id,
      credentialType: credential.type,
      expiresAt: offer.expiresAt.toISOString(),
    };
  }

  private async replay(key: IdempotencyKey): Promise<Reply | undefined> {
    const earlier = await this.idempotency.earlier(key);
    return earlier && { offer: offerSchema.parse(earlier.answer), replayed: true };
  }

  /** Two requests with one key at once: the other one committed while this one was on its way. */
  private async replayed(key?: IdempotencyKey): Promise<Reply> {
    const earlier = key && (await this.replay(key));
    if (!earlier) throw new AppError('idempotency_in_progress', undefined, { retryAfter: 1 });
    return earlier;
  }

  /** The same request beside this one may have used the proof up: an honest retry gets its answer all the same. */
  private async replayedMeanwhile(error: unknown, key?: IdempotencyKey): Promise<Reply> {
    const used = error instanceof AppError && error.code === 'presence_replayed';
    const earlier = used && key && (await this.replay(key));
    if (earlier) return earlier;
    throw error;
  }

  private async checkReturnUrl(returnUrl: string, context: RequestContext): Promise<void> {
    const app = await this.bus.request(getApp, { clientId: context.actor.id }, context);
    // Exact equality, as for redirect URIs (RFC 9700 §4.1.3).
    if (!app.redirectUris.includes(returnUrl)) {
      throw unprocessable([
        { pointer: '#/returnUrl', detail: 'must equal a redirect URI that is registered for the calling app' },
      ]);
    }
  }
}

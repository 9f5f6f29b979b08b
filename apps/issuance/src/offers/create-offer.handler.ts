import { Controller, Inject } from '@nestjs/common';
import {
  createOffer,
  getApp,
  offerSchema,
  type CredentialType,
  type Offer,
  type OfferRequest,
  type ReplyOf,
  type RequestContext,
  type RequestOf,
} from '@holdfast/contracts';
import type { Sql } from '@holdfast/data';
import { Bus, Handles } from '@holdfast/messaging';
import { Idempotency, type KeyedRequest } from '@holdfast/outbox';
import { CLOCK, keyedHash, newId, newOpaqueId, newSecret, unprocessable, type Clock } from '@holdfast/platform';
import { CONFIG } from '@holdfast/service';
import type { IssuanceConfig } from '../config.js';
import { CredentialTypes } from '../credential-types/credential-types.js';
import type { Change } from '../customer/change.js';
import { Customers } from '../customer/customers.js';
import { bySubject } from '../customer/locators.js';
import { requireMayAdd } from '../passkeys/passkey-rules.js';
import { Apps } from '../presence/apps.js';
import { consume } from '../presence/consumed-proofs.js';
import { PresenceCheck } from '../presence/presence-check.js';
import { offerCreated, offerOf } from './offer-reply.js';
import { firstOffer, furtherOffer, offerTimes, type OfferTerms } from './offer.js';

/** POST …/credentials/offers (specification §4.1). */
@Controller()
export class CreateOfferHandler {
  constructor(
    private readonly customers: Customers,
    private readonly bus: Bus,
    private readonly types: CredentialTypes,
    private readonly apps: Apps,
    private readonly presence: PresenceCheck,
    private readonly idempotency: Idempotency,
    @Inject(CONFIG) private readonly config: IssuanceConfig,
    @Inject(CLOCK) private readonly clock: Clock,
  ) {}

  @Handles(createOffer)
  async handle(
    { offer: request, idempotencyKey }: RequestOf<typeof createOffer>,
    context: RequestContext,
  ): Promise<ReplyOf<typeof createOffer>> {
    const { response, replayOf } = await this.idempotency.run(createOffer, idempotencyKey, request, context, (keyed) =>
      this.create(request, context, keyed),
    );
    return { offer: offerSchema.parse(response), replayed: replayOf !== undefined };
  }

  private async create(request: OfferRequest, context: RequestContext, keyed?: KeyedRequest): Promise<Offer> {
    const { org, actor } = context;
    const app = actor.id;
    const now = this.clock.now();
    const proof = await this.presence.verify(request.presence, { org, app, now }, request.subject === undefined);
    const terms = await this.terms(request, context, now);
    const token = newSecret();
    const ids = {
      offer: newId(),
      credential: newId(),
      tokenHash: keyedHash(this.config.SECRET_PEPPER, token),
    };
    const result = (change: Change) => {
      const offer = offerOf(change.customer, ids.offer, token, this.config.BASE_URL);
      return { change, reply: offer, audited: offerCreated(offer, proof) };
    };
    const consumeProof = proof && ((sql: Sql) => consume(sql, org, proof));
    if (request.subject === undefined) {
      const change = firstOffer({ id: newOpaqueId(), org, app }, terms, ids, now);
      return this.customers.add(context, result(change), keyed, consumeProof);
    }
    // Before the transaction, which must not wait for a second connection.
    const limits = request.adds ? await this.types.list(org) : [];
    return this.customers.change(
      bySubject(request.subject, app),
      context,
      async (customer, { sql, now }) => {
        if (request.adds) requireMayAdd(customer, limits, now);
        await consumeProof?.(sql);
        return result(furtherOffer(customer, terms, ids, now));
      },
      keyed,
    );
  }

  private async terms(request: OfferRequest, context: RequestContext, now: Date): Promise<OfferTerms> {
    if (request.adds && request.subject === undefined)
      throw unprocessable([{ pointer: '#/adds', detail: 'needs `subject`: a customer who holds the credential' }]);
    const times = offerTimes(request, now, {
      minSeconds: this.config.OFFER_MIN_SECONDS,
      maxSeconds: this.config.OFFER_MAX_SECONDS,
      defaultSeconds: this.config.OFFER_DEFAULT_SECONDS,
    });
    const type = await this.typeOf(request, context);
    const { returnUrl, adds = false } = request;
    if (returnUrl !== undefined) await this.requireRegistered(returnUrl, context);
    return { type, ...times, adds, ...(returnUrl && { returnUrl }) };
  }

  /** The named type, else that by which customers sign in to the calling app, else the default (product §5). */
  private async typeOf({ credentialType }: OfferRequest, { org, actor }: RequestContext): Promise<CredentialType> {
    if (credentialType !== undefined) return this.types.find(org, credentialType);
    const app = await this.apps.find(org, actor.id);
    return this.types.find(org, app?.credentialType);
  }

  private async requireRegistered(returnUrl: string, context: RequestContext): Promise<void> {
    const app = await this.bus.request(getApp, { clientId: context.actor.id }, context);
    // Exact equality, as for redirect URIs (RFC 9700 §4.1.3).
    if (!app.redirectUris.includes(returnUrl)) {
      throw unprocessable([
        { pointer: '#/returnUrl', detail: 'must equal a redirect URI that is registered for the calling app' },
      ]);
    }
  }
}

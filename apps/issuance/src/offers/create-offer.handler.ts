import { Controller, Inject } from '@nestjs/common';
import { MakerRights } from '@holdfast/access';
import {
  createOffer,
  customersVisibleTo,
  getApp,
  offerSchema,
  type CredentialType,
  type Offer,
  type OfferRequest,
  type ReplyOf,
  type RequestContext,
  type RequestOf,
} from '@holdfast/contracts';
import { Database, statement, type Sql } from '@holdfast/data';
import { Bus, Handles, systemContext } from '@holdfast/messaging';
import { Idempotency, type KeyedRequest } from '@holdfast/outbox';
import {
  AppError,
  CLOCK,
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
import { Customers } from '../customer/customers.js';
import { bySubject } from '../customer/locators.js';
import { requireMayAdd } from '../passkeys/passkey-rules.js';
import { Apps } from '../presence/apps.js';
import { consume } from '../presence/consumed-proofs.js';
import { PresenceCheck } from '../presence/presence-check.js';
import { offerCreated, offerOf } from './offer-reply.js';
import { firstOffer, furtherOffer, offerTimes, type OfferTerms } from './offer.js';

const appOf = statement('offer_app_of_customer', 'SELECT app FROM subject WHERE id = $1 AND org = $2');

/** POST …/credentials/offers (specification §4.1). */
@Controller()
export class CreateOfferHandler {
  constructor(
    private readonly database: Database,
    private readonly rights: MakerRights,
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
    const { org } = context;
    const maker = await this.makerOf(request, context);
    const { app, person } = maker;
    const now = this.clock.now();
    const mayNeedProof = request.subject === undefined && person === undefined;
    const proof = await this.presence.verify(request.presence, { org, app, now }, mayNeedProof);
    const terms = await this.terms(request, org, maker, now);
    const token = newSecret();
    const ids = {
      offer: newId(),
      credential: newId(),
      tokenHash: keyedHash(this.config.SECRET_PEPPER, token),
    };
    const result = (change: Change) => {
      const offer = offerOf(change.customer, ids.offer, token, this.config.BASE_URL);
      return { change, reply: offer, audited: offerCreated(offer, maker, proof) };
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

  /** The app of the customer, and the person who makes the offer if it is not that app itself. */
  private async makerOf(
    { subject, app }: OfferRequest,
    { org, actor }: RequestContext,
  ): Promise<{ app: string; person?: string }> {
    const own = customersVisibleTo(actor);
    if (own !== undefined) {
      if (app === undefined) return { app: own };
      throw unprocessable([{ pointer: '#/app', detail: 'must be left out: the customer is one of the calling app' }]);
    }
    if (subject !== undefined) {
      if (app !== undefined)
        throw unprocessable([{ pointer: '#/app', detail: 'must be left out: the customer has an app already' }]);
      const [customer] = await this.database.rows<{ app: string }>(appOf, [subject, org]);
      if (!customer) throw new AppError('unknown_subject');
      return { app: customer.app, person: actor.id };
    }
    if (app === undefined)
      throw unprocessable([{ pointer: '#/app', detail: 'is required: the app whose customer it becomes' }]);
    if (!(await this.rights.has(org, { type: 'app', id: app }, 'offers:write')))
      throw unprocessable([
        { pointer: '#/app', detail: 'must be an enabled app of this organization with the scope `offers:write`' },
      ]);
    return { app, person: actor.id };
  }

  private async terms(
    request: OfferRequest,
    org: string,
    { app, person }: { app: string; person?: string },
    now: Date,
  ): Promise<OfferTerms> {
    if (request.adds && request.subject === undefined)
      throw unprocessable([{ pointer: '#/adds', detail: 'needs `subject`: a customer who holds the credential' }]);
    const times = offerTimes(request, now, {
      minSeconds: this.config.OFFER_MIN_SECONDS,
      maxSeconds: this.config.OFFER_MAX_SECONDS,
      defaultSeconds: this.config.OFFER_DEFAULT_SECONDS,
    });
    const type = await this.typeOf(request, org, app);
    const { returnUrl, adds = false } = request;
    if (returnUrl !== undefined) await this.requireRegistered(returnUrl, app);
    return { type, ...times, adds, ...(returnUrl && { returnUrl }), ...(person && { person }) };
  }

  /** The named type, else that by which customers sign in to the app, else the default (product §5). */
  private async typeOf({ credentialType }: OfferRequest, org: string, clientId: string): Promise<CredentialType> {
    if (credentialType !== undefined) return this.types.find(org, credentialType);
    const app = await this.apps.find(org, clientId);
    return this.types.find(org, app?.credentialType);
  }

  private async requireRegistered(returnUrl: string, clientId: string): Promise<void> {
    const app = await this.bus.request(getApp, { clientId }, systemContext('issuance'));
    // Exact equality, as for redirect URIs (RFC 9700 §4.1.3).
    if (!app.redirectUris.includes(returnUrl)) {
      throw unprocessable([
        { pointer: '#/returnUrl', detail: 'must equal a redirect URI that is registered for the app' },
      ]);
    }
  }
}

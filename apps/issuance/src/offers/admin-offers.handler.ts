import { Controller, Inject } from '@nestjs/common';
import { recordReadOfOperator } from '@holdfast/audit-client';
import {
  adminListOffers,
  adminWithdrawOffer,
  type ReplyOf,
  type RequestContext,
  type RequestOf,
} from '@holdfast/contracts';
import { Database, statement } from '@holdfast/data';
import { Bus, Handles } from '@holdfast/messaging';
import { Idempotency } from '@holdfast/outbox';
import { CLOCK, type Clock } from '@holdfast/platform';
import { Customers } from '../customer/customers.js';
import { byOffer } from '../customer/locators.js';
import { Organizations } from '../settings/organizations.js';
import { toExistingCustomer } from './ended-rights/ended-offer-rights.js';
import { withdrawalRecord } from './offer-reply.js';
import { withdrawnOffer } from './offer.js';

interface OpenOfferRow {
  offerId: string;
  subject: string;
  credentialId: string;
  credentialType: string;
  app: string;
  person: string | null;
  existingCustomer: boolean;
  createdAt: Date;
  expiresAt: Date;
}

/** Uses the index `offer_open_maker`. */
const list = statement(
  'offers_open',
  `SELECT o.id AS "offerId", o.subject, o.credential AS "credentialId", c.type AS "credentialType", o.app, o.person,
          ${toExistingCustomer} AS "existingCustomer", o.created_at AS "createdAt", o.expires_at AS "expiresAt"
   FROM offer o JOIN credential c ON c.id = o.credential JOIN subject s ON s.id = o.subject
   WHERE o.org = $1 AND o.status = 'open' AND o.expires_at > $2 AND ($3::text IS NULL OR o.app = $3)
     AND ($4::text IS NULL OR (o.app, o.id) > ($4, $5::uuid))
   ORDER BY o.app, o.id LIMIT $6`,
);

/** The open offers of every app, for those who administer the apps (product §4): they see them and withdraw them. */
@Controller()
export class AdminOffersHandler {
  constructor(
    private readonly database: Database,
    private readonly customers: Customers,
    private readonly organizations: Organizations,
    private readonly idempotency: Idempotency,
    private readonly bus: Bus,
    @Inject(CLOCK) private readonly clock: Clock,
  ) {}

  @Handles(adminListOffers)
  async list(
    { app, limit, after }: RequestOf<typeof adminListOffers>,
    context: RequestContext,
  ): Promise<ReplyOf<typeof adminListOffers>> {
    const { org } = context;
    await this.organizations.require(context);
    await recordReadOfOperator(this.bus, context, 'offer.list');
    const values = [org, this.clock.now(), app, after?.app, after?.offerId, limit + 1];
    const found = await this.database.rows<OpenOfferRow>(list, values);
    const items = found.slice(0, limit).map(({ person, createdAt, expiresAt, ...offer }) => ({
      ...offer,
      maker: person === null ? { type: 'app' as const, id: offer.app } : { type: 'person' as const, id: person },
      createdAt: createdAt.toISOString(),
      expiresAt: expiresAt.toISOString(),
    }));
    const last = items.at(-1);
    return { items, ...(found.length > limit && last && { next: { app: last.app, offerId: last.offerId } }) };
  }

  @Handles(adminWithdrawOffer)
  withdraw(
    request: RequestOf<typeof adminWithdrawOffer>,
    context: RequestContext,
  ): Promise<ReplyOf<typeof adminWithdrawOffer>> {
    const { offerId } = request;
    return this.idempotency.once(adminWithdrawOffer, request, context, (keyed) =>
      this.customers.change(
        byOffer(offerId),
        context,
        (customer, { now }) => ({
          change: withdrawnOffer(customer, offerId, now),
          reply: {},
          audited: withdrawalRecord,
        }),
        keyed,
      ),
    );
  }
}

import { Controller, Inject } from '@nestjs/common';
import { customersVisibleTo, getOffer, type ReplyOf, type RequestContext, type RequestOf } from '@holdfast/contracts';
import { Database, statement } from '@holdfast/data';
import { Handles } from '@holdfast/messaging';
import { AppError, CLOCK, type Clock } from '@holdfast/platform';
import { isOfferExpired, type CustomerOffer } from '../customer/customer.js';

interface OfferRow extends Pick<CustomerOffer, 'id' | 'credentialId' | 'status' | 'createdAt' | 'expiresAt'> {
  subject: string;
  type: string;
}

const find = statement(
  'offer_get',
  `SELECT o.id, o.subject, o.credential AS "credentialId", c.type, o.status,
          o.created_at AS "createdAt", o.expires_at AS "expiresAt"
   FROM offer o JOIN credential c ON c.id = o.credential
   WHERE o.id = $1 AND o.org = $2 AND o.app = coalesce($3, o.app)`,
);

/** GET …/credentials/offers/{offerId} (product §5): reads the system of record, which is always current. */
@Controller()
export class GetOfferHandler {
  constructor(
    private readonly database: Database,
    @Inject(CLOCK) private readonly clock: Clock,
  ) {}

  @Handles(getOffer)
  async handle(
    { offerId }: RequestOf<typeof getOffer>,
    { org, actor }: RequestContext,
  ): Promise<ReplyOf<typeof getOffer>> {
    const [offer] = await this.database.rows<OfferRow>(find, [offerId, org, customersVisibleTo(actor)]);
    if (!offer) throw new AppError('unknown_offer');
    return {
      offerId: offer.id,
      subject: offer.subject,
      credentialId: offer.credentialId,
      credentialType: offer.type,
      // By the clock, because the expiration worker emits the expiration up to a second later.
      status: offer.status === 'open' && isOfferExpired(offer, this.clock.now()) ? 'expired' : offer.status,
      createdAt: offer.createdAt.toISOString(),
      expiresAt: offer.expiresAt.toISOString(),
    };
  }
}

import { Controller } from '@nestjs/common';
import {
  customersVisibleTo,
  withdrawOffer,
  type ReplyOf,
  type RequestContext,
  type RequestOf,
} from '@holdfast/contracts';
import { Handles } from '@holdfast/messaging';
import { Idempotency } from '@holdfast/outbox';
import { Customers } from '../customer/customers.js';
import { byOffer } from '../customer/locators.js';
import { withdrawalRecord } from './offer-reply.js';
import { withdrawnOffer } from './offer.js';

/** DELETE …/credentials/offers/{offerId} (product §5): the app withdraws an offer. */
@Controller()
export class WithdrawOfferHandler {
  constructor(
    private readonly customers: Customers,
    private readonly idempotency: Idempotency,
  ) {}

  @Handles(withdrawOffer)
  handle(request: RequestOf<typeof withdrawOffer>, context: RequestContext): Promise<ReplyOf<typeof withdrawOffer>> {
    const { offerId } = request;
    return this.idempotency.once(withdrawOffer, request, context, (keyed) =>
      this.customers.change(
        byOffer(offerId, customersVisibleTo(context.actor)),
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

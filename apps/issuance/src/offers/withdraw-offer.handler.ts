import { withdrawOffer, type CallContext, type ReplyOf, type RequestOf } from '@holdfast/contracts';
import { Handles, insertOutboxRows, Outbox } from '@holdfast/bus';
import { Database } from '@holdfast/data';
import { AppError, CLOCK, customerKey, type Clock } from '@holdfast/kit';
import { Controller, Inject } from '@nestjs/common';
import { customerEvent } from '../credentials/customer-event.js';
import { customerOfOffer, lockCustomer, saveCustomer } from '../credentials/customers.js';
import { withdrawnOffer } from './offer.js';

/** DELETE …/credentials/offers/{offerId}: the app takes an offer back. */
@Controller()
export class WithdrawOfferHandler {
  constructor(
    private readonly database: Database,
    private readonly outbox: Outbox,
    @Inject(CLOCK) private readonly clock: Clock,
  ) {}

  @Handles(withdrawOffer)
  async withdrawOffer({ offerId }: RequestOf<typeof withdrawOffer>, context: CallContext): Promise<ReplyOf<typeof withdrawOffer>> {
    const { org, actor } = context;
    const { row, mark } = await this.database.transaction(async (sql) => {
      const id = await customerOfOffer(sql, offerId, org, actor.id);
      const before = id && (await lockCustomer(sql, id, org, actor.id));
      if (!before) throw new AppError('unknown_offer');
      const now = this.clock.now();
      const after = withdrawnOffer(before, offerId, now);
      const event = customerEvent('offer.withdrawn', after, context, now, {
        action: 'offer.withdraw',
        targets: [{ type: 'offer', id: offerId, holder: after.id }, { type: 'customer', id: after.id, holder: after.id }],
        outcome: { result: 'success', status: 204 },
        changes: { status: { from: 'open', to: 'withdrawn' } },
      });
      const row = this.outbox.row(event);
      await saveCustomer(sql, before, after);
      await insertOutboxRows(sql, [row]);
      return { row, mark: { org, aggregate: customerKey(org, after.id), version: after.version } };
    });
    await this.outbox.published([row], mark);
    return {};
  }
}

import { withdrawOffer, type CallContext, type ReplyOf, type RequestOf } from '@holdfast/contracts';
import { Handles, Outbox } from '@holdfast/bus';
import { Database } from '@holdfast/data';
import { AppError, CLOCK, type Clock } from '@holdfast/kit';
import { Controller, Inject } from '@nestjs/common';
import { inTurn } from '../credentials/change.js';
import { commitChange } from '../credentials/commit-change.js';
import { customerOfOffer, lockCustomer } from '../credentials/customers.js';
import { tellEnds } from '../expiry/expiry.js';
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
    const { rows, mark } = await this.database.transaction(async (sql) => {
      const id = await customerOfOffer(sql, offerId, org, actor.id);
      const before = id && (await lockCustomer(sql, id, org, actor.id));
      if (!before) throw new AppError('unknown_offer');
      const now = this.clock.now();
      const change = inTurn(before, (c) => tellEnds(c, now), (c) => withdrawnOffer(c, offerId, now));
      return commitChange(sql, this.outbox, before, change, context, now, {
        action: 'offer.withdraw',
        targets: [{ type: 'offer', id: offerId, holder: before.id }, { type: 'customer', id: before.id, holder: before.id }],
        outcome: { result: 'success', status: 204 },
        changes: { status: { from: 'open', to: 'withdrawn' } },
      });
    });
    await this.outbox.published(rows, mark);
    return {};
  }
}

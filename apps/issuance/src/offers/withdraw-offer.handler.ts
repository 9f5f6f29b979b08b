import { Controller, Inject } from '@nestjs/common';
import {
  withdrawOffer,
  type AuditTarget,
  type ReplyOf,
  type RequestContext,
  type RequestOf,
} from '@holdfast/contracts';
import { Database } from '@holdfast/data';
import { Handles } from '@holdfast/messaging';
import { Outbox } from '@holdfast/outbox';
import { AppError, CLOCK, concerning, type Clock } from '@holdfast/platform';
import { compose } from '../customer/change.js';
import { customerOfOffer, lockCustomer } from '../customer/customer.repository.js';
import { commitChange } from '../customer/customers.js';
import { expireDue } from '../customer/expiration.js';
import { effectOn, Idempotency, type Remember } from '../idempotency/idempotency.js';
import { withdrawnOffer } from './offer.js';

/** DELETE …/credentials/offers/{offerId}: the app takes an offer back. */
@Controller()
export class WithdrawOfferHandler {
  constructor(
    private readonly database: Database,
    private readonly outbox: Outbox,
    private readonly idempotency: Idempotency,
    @Inject(CLOCK) private readonly clock: Clock,
  ) {}

  @Handles(withdrawOffer)
  withdrawOffer(
    request: RequestOf<typeof withdrawOffer>,
    context: RequestContext,
  ): Promise<ReplyOf<typeof withdrawOffer>> {
    return this.idempotency.once(withdrawOffer, request, context, (remember) =>
      this.withdraw(request, context, remember),
    );
  }

  private async withdraw(
    { offerId }: RequestOf<typeof withdrawOffer>,
    context: RequestContext,
    remember: Remember<object>,
  ): Promise<object> {
    const { org, actor } = context;
    const { rows, mark } = await this.database.transaction(async (sql) => {
      const holder = await customerOfOffer(sql, offerId, org, actor.id);
      const before = holder && (await lockCustomer(sql, holder, org, actor.id));
      if (!before) throw new AppError('unknown_offer');
      const now = this.clock.now();
      const targets: AuditTarget[] = [
        { type: 'offer', id: offerId, dataSubject: holder },
        { type: 'customer', id: holder, dataSubject: holder },
        ...before.offers
          .filter((o) => o.id === offerId)
          .map(({ credentialId }) => ({ type: 'credential' as const, id: credentialId, dataSubject: holder })),
      ];
      const change = concerning(targets, () =>
        compose(
          before,
          (c) => expireDue(c, now),
          (c) => withdrawnOffer(c, offerId, now),
        ),
      );
      const committed = await commitChange(sql, this.outbox, before, change, context, now, {
        action: 'offer.withdraw',
        targets,
        outcome: { result: 'success', status: 204 },
        changes: { status: { from: 'open', to: 'withdrawn' } },
      });
      await remember(sql, { answer: {}, ...effectOn(holder, committed) });
      return committed;
    });
    await this.outbox.published(rows, mark);
    return {};
  }
}

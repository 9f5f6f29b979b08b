import { Controller } from '@nestjs/common';
import {
  customersVisibleTo,
  eraseSubject,
  type ReplyOf,
  type RequestContext,
  type RequestOf,
} from '@holdfast/contracts';
import { Handles } from '@holdfast/messaging';
import { Idempotency } from '@holdfast/outbox';
import { Customers } from '../customer/customers.js';
import { auditTarget, bySubject } from '../customer/locators.js';

/**
 * DELETE …/credentials/subjects/{subject} (specification §4.4). At the 204 neither system of record nor read model has
 * the customer.
 */
@Controller()
export class EraseSubjectHandler {
  constructor(
    private readonly customers: Customers,
    private readonly idempotency: Idempotency,
  ) {}

  @Handles(eraseSubject)
  handle(request: RequestOf<typeof eraseSubject>, context: RequestContext): Promise<ReplyOf<typeof eraseSubject>> {
    const { subject } = request;
    return this.idempotency.once(eraseSubject, request, context, (keyed) =>
      this.customers.erase(
        bySubject(subject, customersVisibleTo(context.actor)),
        context,
        {
          action: 'subject.erase',
          targets: [auditTarget('customer', subject, subject)],
          outcome: { result: 'success', status: 204 },
        },
        keyed,
      ),
    );
  }
}

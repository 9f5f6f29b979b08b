import { Controller } from '@nestjs/common';
import {
  customersVisibleTo,
  requireCustomer,
  type ReplyOf,
  type RequestContext,
  type RequestOf,
} from '@holdfast/contracts';
import { Database, statement } from '@holdfast/data';
import { Handles } from '@holdfast/messaging';
import { AppError } from '@holdfast/platform';

const find = statement(
  'customer_require',
  'SELECT 1 FROM subject WHERE id = $1 AND org = $2 AND app = coalesce($3, app)',
);

/** Whether the caller reaches a customer: for every app but the customer's own the customer does not exist. */
@Controller()
export class RequireCustomerHandler {
  constructor(private readonly database: Database) {}

  @Handles(requireCustomer)
  async handle(
    { subject }: RequestOf<typeof requireCustomer>,
    { org, actor }: RequestContext,
  ): Promise<ReplyOf<typeof requireCustomer>> {
    const found = await this.database.rows(find, [subject, org, customersVisibleTo(actor)]);
    if (found.length === 0) throw new AppError('unknown_subject');
    return {};
  }
}

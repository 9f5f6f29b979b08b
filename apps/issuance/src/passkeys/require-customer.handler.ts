import { Controller } from '@nestjs/common';
import { requireCustomer, type ReplyOf, type RequestContext, type RequestOf } from '@holdfast/contracts';
import { Database, statement } from '@holdfast/data';
import { Handles } from '@holdfast/messaging';
import { AppError } from '@holdfast/platform';

const find = statement('customer_require', 'SELECT 1 FROM subject WHERE id = $1 AND org = $2 AND app = $3');

/** Whether the calling app has made offers to a customer: for every other app the customer does not exist. */
@Controller()
export class RequireCustomerHandler {
  constructor(private readonly database: Database) {}

  @Handles(requireCustomer)
  async handle(
    { subject }: RequestOf<typeof requireCustomer>,
    { org, actor }: RequestContext,
  ): Promise<ReplyOf<typeof requireCustomer>> {
    const found = await this.database.rows(find, [subject, org, actor.id]);
    if (found.length === 0) throw new AppError('unknown_subject');
    return {};
  }
}

import { Controller } from '@nestjs/common';
import {
  customersVisibleTo,
  resumeCredential,
  revokeCredential,
  suspendCredential,
  type ReplyOf,
  type RequestContext,
  type RequestOf,
} from '@holdfast/contracts';
import { Handles } from '@holdfast/messaging';
import { Idempotency } from '@holdfast/outbox';
import { publicCredential } from '../customer/customer.js';
import { Customers } from '../customer/customers.js';
import { byCredential } from '../customer/locators.js';
import { managed, type ManageAction } from './manage.js';

type Request = RequestOf<typeof suspendCredential>;
type Reply = ReplyOf<typeof suspendCredential>;
const contracts = { suspend: suspendCredential, resume: resumeCredential, revoke: revokeCredential };

/** POST …/credentials/issued/{id}/suspend, resume and revoke (product §5). */
@Controller()
export class ManageCredentialHandler {
  constructor(
    private readonly customers: Customers,
    private readonly idempotency: Idempotency,
  ) {}

  @Handles(suspendCredential)
  suspend(request: Request, context: RequestContext): Promise<Reply> {
    return this.manage('suspend', request, context);
  }

  @Handles(resumeCredential)
  resume(request: Request, context: RequestContext): Promise<Reply> {
    return this.manage('resume', request, context);
  }

  @Handles(revokeCredential)
  revoke(request: Request, context: RequestContext): Promise<Reply> {
    return this.manage('revoke', request, context);
  }

  private manage(action: ManageAction, request: Request, context: RequestContext): Promise<Reply> {
    const { id, reason } = request;
    return this.idempotency.once(contracts[action], request, context, (keyed) =>
      this.customers.change(
        byCredential(id, customersVisibleTo(context.actor)),
        context,
        (customer, { now }) => {
          const change = managed(action, customer, id, reason, now);
          const [from, to] = [customer, change.customer].map((c) => c.credentials.find((c) => c.id === id)!);
          return {
            change,
            reply: publicCredential(to!, customer.id, customer.passkeys),
            audited: {
              action: `credential.${action}`,
              outcome: { result: 'success', status: 200 },
              changes: {
                status: { from: from!.status, to: to!.status },
                ...(reason !== undefined && { reason: { to: reason } }),
              },
            },
          };
        },
        keyed,
      ),
    );
  }
}

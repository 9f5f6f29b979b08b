import { Controller, Inject } from '@nestjs/common';
import {
  resumeCredential,
  revokeCredential,
  suspendCredential,
  type AuditTarget,
  type Credential,
  type ReplyOf,
  type RequestContext,
  type RequestOf,
} from '@holdfast/contracts';
import { Database } from '@holdfast/data';
import { Handles } from '@holdfast/messaging';
import { Outbox } from '@holdfast/outbox';
import { AppError, CLOCK, concerning, type Clock } from '@holdfast/platform';
import { compose } from '../customer/change.js';
import { publicCredential } from '../customer/customer.js';
import { customerOfCredential, lockCustomer } from '../customer/customer.repository.js';
import { commitChange } from '../customer/customers.js';
import { expireDue } from '../customer/expiration.js';
import { effectOn, Idempotency, type Remember } from '../idempotency/idempotency.js';
import { managed, type ManageAction } from './manage.js';

type Request = RequestOf<typeof suspendCredential>;
type Reply = ReplyOf<typeof suspendCredential>;

/**
 * POST …/credentials/issued/{id}/suspend, resume, revoke: under the customer's lock, so that of two acts the later sees
 * the earlier.
 */
@Controller()
export class ManageCredentialHandler {
  constructor(
    private readonly database: Database,
    private readonly outbox: Outbox,
    private readonly idempotency: Idempotency,
    @Inject(CLOCK) private readonly clock: Clock,
  ) {}

  @Handles(suspendCredential)
  suspend(request: Request, context: RequestContext): Promise<Reply> {
    return this.idempotency.once(suspendCredential, request, context, (remember) =>
      this.manage('suspend', request, context, remember),
    );
  }

  @Handles(resumeCredential)
  resume(request: Request, context: RequestContext): Promise<Reply> {
    return this.idempotency.once(resumeCredential, request, context, (remember) =>
      this.manage('resume', request, context, remember),
    );
  }

  @Handles(revokeCredential)
  revoke(request: Request, context: RequestContext): Promise<Reply> {
    return this.idempotency.once(revokeCredential, request, context, (remember) =>
      this.manage('revoke', request, context, remember),
    );
  }

  private async manage(
    act: ManageAction,
    { id, reason }: Request,
    context: RequestContext,
    remember: Remember<Credential>,
  ): Promise<Credential> {
    const { org, actor } = context;
    const { rows, mark, credential } = await this.database.transaction(async (sql) => {
      const holder = await customerOfCredential(sql, id, org, actor.id);
      const before = holder && (await lockCustomer(sql, holder, org, actor.id));
      if (!before) throw new AppError('unknown_credential');
      const now = this.clock.now();
      const targets: AuditTarget[] = [
        { type: 'credential', id, dataSubject: holder },
        { type: 'customer', id: holder, dataSubject: holder },
      ];
      const change = concerning(targets, () =>
        compose(
          before,
          (c) => expireDue(c, now),
          (c) => managed(act, c, id, reason, now),
        ),
      );
      const [from, to] = [before, change.customer].map(({ credentials }) => credentials.find((c) => c.id === id)!);
      const committed = await commitChange(sql, this.outbox, before, change, context, now, {
        action: `credential.${act}`,
        targets,
        outcome: { result: 'success', status: 200 },
        changes: {
          status: { from: from!.status, to: to!.status },
          ...(reason !== undefined && { reason: { to: reason } }),
        },
      });
      const credential = publicCredential(to!, holder);
      await remember(sql, { answer: credential, ...effectOn(holder, committed) });
      return { ...committed, credential };
    });
    await this.outbox.published(rows, mark);
    return credential;
  }
}

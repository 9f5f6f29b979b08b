import { Controller } from '@nestjs/common';
import { adminDeleteApp, type ReplyOf, type RequestContext, type RequestOf } from '@holdfast/contracts';
import { Handles } from '@holdfast/messaging';
import { Idempotency } from '@holdfast/outbox';
import { ManagedApps } from './managed-apps.js';

/** DELETE …/admin/apps/{clientId} */
@Controller()
export class AdminDeleteAppHandler {
  constructor(
    private readonly managed: ManagedApps,
    private readonly idempotency: Idempotency,
  ) {}

  @Handles(adminDeleteApp)
  handle(request: RequestOf<typeof adminDeleteApp>, context: RequestContext): Promise<ReplyOf<typeof adminDeleteApp>> {
    return this.idempotency.once(adminDeleteApp, request, context, (keyed) =>
      this.managed.delete(request, context, keyed),
    );
  }
}

import { Controller } from '@nestjs/common';
import { adminDisableApp, type ReplyOf, type RequestContext, type RequestOf } from '@holdfast/contracts';
import { Handles } from '@holdfast/messaging';
import { Idempotency } from '@holdfast/outbox';
import { disable } from '../disable-app.handler.js';
import { ManagedApps, toManagedApp } from './managed-apps.js';

/** POST …/admin/apps/{clientId}/disable and …/enable */
@Controller()
export class AdminDisableAppHandler {
  constructor(
    private readonly managed: ManagedApps,
    private readonly idempotency: Idempotency,
  ) {}

  @Handles(adminDisableApp)
  handle(
    request: RequestOf<typeof adminDisableApp>,
    context: RequestContext,
  ): Promise<ReplyOf<typeof adminDisableApp>> {
    return this.idempotency.once(adminDisableApp, request, context, (keyed) =>
      this.managed.change(
        'change',
        request,
        context,
        (app) => disable(app, request.disabled),
        (app) => ({ app: toManagedApp(app) }),
        keyed,
      ),
    );
  }
}

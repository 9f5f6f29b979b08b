import { Controller } from '@nestjs/common';
import { adminUpdateApp, type AppPatch, type ReplyOf, type RequestContext, type RequestOf } from '@holdfast/contracts';
import { Handles } from '@holdfast/messaging';
import { Idempotency } from '@holdfast/outbox';
import { AppError, Outbound } from '@holdfast/platform';
import { toApp } from '../app.entity.js';
import { differences } from '../new-app.js';
import { requireCallable } from '../require-callable.js';
import { requireUsable } from '../require-usable.js';
import { changesSignIns } from './app-protection.js';
import { ManagedApps, toManagedApp } from './managed-apps.js';

/** PATCH …/admin/apps/{clientId} */
@Controller()
export class AdminUpdateAppHandler {
  constructor(
    private readonly managed: ManagedApps,
    private readonly outbound: Outbound,
    private readonly idempotency: Idempotency,
  ) {}

  @Handles(adminUpdateApp)
  handle(request: RequestOf<typeof adminUpdateApp>, context: RequestContext): Promise<ReplyOf<typeof adminUpdateApp>> {
    const { clientId, changes: given, signedInRecently } = request;
    // A repeat is the same request, however long ago the person signed in by now.
    const repeatable = { ...request, signedInRecently: true };
    return this.idempotency.once(adminUpdateApp, repeatable, context, (keyed) =>
      this.managed.change(
        'change',
        request,
        context,
        (app) => {
          requireCallable(this.outbound, given);
          requireUsable(app.kind, withoutNulls(given));
          const { logoUri, helpUri } = app;
          const changes = differences({ ...toApp(app), logoUri, helpUri }, given, app);
          const takesOver = changesSignIns(Object.keys(changes ?? {}));
          if (takesOver && context.actor.type !== 'app' && !signedInRecently)
            throw new AppError('step_up_required', undefined, { targets: [{ type: 'app', id: clientId }] });
          Object.assign(app, given);
          return { action: 'app.update', changes, takesOver };
        },
        (app) => ({ app: toManagedApp(app) }),
        keyed,
      ),
    );
  }
}

/** What is removed needs no check. */
function withoutNulls({ credentialType, idTokenAlg, ...rest }: AppPatch) {
  return {
    ...rest,
    ...(credentialType !== null && { credentialType }),
    ...(idTokenAlg !== null && { idTokenAlg }),
  };
}

import { Controller } from '@nestjs/common';
import { adminUpdateApp, type AppPatch, type ReplyOf, type RequestContext, type RequestOf } from '@holdfast/contracts';
import { sqlOf } from '@holdfast/data';
import { Handles } from '@holdfast/messaging';
import { Idempotency } from '@holdfast/outbox';
import { AppError, Outbound } from '@holdfast/platform';
import { givenBranding } from '../../branding/given-branding.js';
import { columnsOf, recordedOf, storeLogo } from '../app-branding.js';
import { toApp } from '../app.entity.js';
import { KeyChanges } from '../keys/key-changes.js';
import { changeKeySettings, givesKeySettings, type KeySettings } from '../keys/key-settings.js';
import { differences } from '../new-app.js';
import { requireCallable } from '../require-callable.js';
import { requireUsable } from '../require-usable.js';
import { changesSignIns, leadsCustomers } from './app-protection.js';
import { ManagedApps, toManagedApp } from './managed-apps.js';

/** PATCH …/admin/apps/{clientId} */
@Controller()
export class AdminUpdateAppHandler {
  constructor(
    private readonly managed: ManagedApps,
    private readonly keyChanges: KeyChanges,
    private readonly outbound: Outbound,
    private readonly idempotency: Idempotency,
  ) {}

  @Handles(adminUpdateApp)
  handle(request: RequestOf<typeof adminUpdateApp>, context: RequestContext): Promise<ReplyOf<typeof adminUpdateApp>> {
    const { clientId, changes: requested, signedInRecently } = request;
    // A repeat is the same request, however long ago the person signed in by now.
    const repeatable = { ...request, signedInRecently: true };
    return this.idempotency.once(adminUpdateApp, repeatable, context, (keyed) => {
      const given = givenBranding(requested);
      const changesKeys = givesKeySettings(requested);
      return this.managed.change(
        changesKeys ? 'change_keys' : 'change',
        request,
        context,
        async (app, manager) => {
          requireCallable(this.outbound, given);
          requireUsable(app.kind, withoutNulls(requested));
          const { logoUri } = app;
          const before: KeySettings = { ...app };
          const after = changeKeySettings(app.kind, before, requested);
          const changes = differences({ ...toApp(app), logoUri }, recordedOf(given, app.org), after);
          const changed = Object.keys(changes ?? {});
          const takesOver = changesSignIns(changed);
          if ((takesOver || leadsCustomers(changed)) && context.actor.type !== 'app' && !signedInRecently)
            throw new AppError('step_up_required', undefined, { targets: [{ type: 'app', id: clientId }] });
          Object.assign(app, columnsOf(given), after);
          await storeLogo(sqlOf(manager), app, given.logo);
          const revokesTokens = changesKeys && (await this.keyChanges.store(manager, clientId, before, after));
          return { action: 'app.update', changes, takesOver, revokesTokens };
        },
        (app) => ({ app: toManagedApp(app) }),
        keyed,
      );
    });
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

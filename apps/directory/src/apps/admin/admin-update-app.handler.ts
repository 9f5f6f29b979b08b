import { Controller } from '@nestjs/common';
import { adminUpdateApp, type AppPatch, type ReplyOf, type RequestContext, type RequestOf } from '@holdfast/contracts';
import { sqlOf } from '@holdfast/data';
import { Handles } from '@holdfast/messaging';
import { Idempotency } from '@holdfast/outbox';
import { AppError, Outbound } from '@holdfast/platform';
import { givenBranding } from '../../branding/given-branding.js';
import { columnsOf, recordedOf, storeLogo } from '../app-branding.js';
import { toApp } from '../app.entity.js';
import { changeKeySettings, endsAllTokens, type KeySettings } from '../keys/key-settings.js';
import { storeRemovedKeys } from '../keys/removed-keys.js';
import { differences } from '../new-app.js';
import { requireCallable } from '../require-callable.js';
import { requireUsable } from '../require-usable.js';
import { Secrets } from '../secrets/secrets.js';
import { changesKeys, changesSignIns, leadsCustomers } from './app-protection.js';
import { ManagedApps, toManagedApp } from './managed-apps.js';

/** PATCH …/admin/apps/{clientId} */
@Controller()
export class AdminUpdateAppHandler {
  constructor(
    private readonly managed: ManagedApps,
    private readonly secrets: Secrets,
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
      return this.managed.change(
        'change',
        request,
        context,
        async (app, manager) => {
          requireCallable(this.outbound, given);
          requireUsable(app.kind, withoutNulls(requested));
          if (changesKeys(requested)) requireMayChangeKeys(request, context);
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
          await storeRemovedKeys(manager, clientId, before, after);
          if (after.tokenEndpointAuthMethod === 'private_key_jwt') await this.secrets.revokeAll(manager, clientId);
          return { action: 'app.update', changes, takesOver, revokesTokens: endsAllTokens(before, after) };
        },
        (app) => ({ app: toManagedApp(app) }),
        keyed,
      );
    });
  }
}

/** A key of a program would stay when its right has ended: only its secrets are known to be its own. */
function requireMayChangeKeys(
  { clientId, mayManageGrants }: RequestOf<typeof adminUpdateApp>,
  { actor }: RequestContext,
): void {
  if (actor.type === 'person' && mayManageGrants) return;
  throw new AppError('app_protected', 'Only people who may manage grants change how an app authenticates.', {
    targets: [{ type: 'app', id: clientId }],
  });
}

/** What is removed needs no check. */
function withoutNulls({ credentialType, idTokenAlg, ...rest }: AppPatch) {
  return {
    ...rest,
    ...(credentialType !== null && { credentialType }),
    ...(idTokenAlg !== null && { idTokenAlg }),
  };
}

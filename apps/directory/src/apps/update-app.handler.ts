import { Controller } from '@nestjs/common';
import { updateApp, type App, type RequestContext, type RequestOf } from '@holdfast/contracts';
import { sqlOf } from '@holdfast/data';
import { Handles } from '@holdfast/messaging';
import { Outbound } from '@holdfast/platform';
import { givenBranding } from '../branding/given-branding.js';
import { changesSignIns } from './admin/app-protection.js';
import { columnsOf, recordedOf, storeLogo } from './app-branding.js';
import { toApp } from './app.entity.js';
import { Apps } from './apps.js';
import { KeyChanges } from './keys/key-changes.js';
import { changeKeySettings, type KeySettings } from './keys/key-settings.js';
import { differences } from './new-app.js';
import { requireCallable } from './require-callable.js';
import { requireUsable } from './require-usable.js';

@Controller()
export class UpdateAppHandler {
  constructor(
    private readonly apps: Apps,
    private readonly keyChanges: KeyChanges,
    private readonly outbound: Outbound,
  ) {}

  @Handles(updateApp)
  handle({ clientId, ...changed }: RequestOf<typeof updateApp>, context: RequestContext): Promise<App> {
    requireCallable(this.outbound, changed);
    const given = givenBranding(changed);
    return this.apps.change(clientId, context, async (app, manager) => {
      requireUsable(app.kind, { ...changed, audience: app.audience });
      const before: KeySettings = { ...app };
      const after = changeKeySettings(app.kind, before, changed);
      const changes = differences(toApp(app), recordedOf(given, app.org), after);
      Object.assign(app, columnsOf(given), after);
      await storeLogo(sqlOf(manager), app, given.logo);
      const revokesTokens = await this.keyChanges.store(manager, clientId, before, after);
      const takesOver = changesSignIns(Object.keys(changes ?? {}));
      return { action: 'app.update', changes, takesOver, revokesTokens };
    });
  }
}

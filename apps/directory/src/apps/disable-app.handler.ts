import { Controller } from '@nestjs/common';
import { disableApp, type App, type RequestContext, type RequestOf } from '@holdfast/contracts';
import { Handles } from '@holdfast/messaging';
import type { AppEntity } from './app.entity.js';
import { Apps, type AppChange } from './apps.js';

/** Access tokens issued before stay refused after the app is enabled again: it has to request new ones. */
@Controller()
export class DisableAppHandler {
  constructor(private readonly apps: Apps) {}

  @Handles(disableApp)
  handle({ clientId, disabled }: RequestOf<typeof disableApp>, context: RequestContext): Promise<App> {
    return this.apps.change(clientId, context, (app) => disable(app, disabled));
  }
}

/** Disables an app, or enables it. */
export function disable(app: AppEntity, disabled: boolean): AppChange {
  const changes = { disabled: { from: app.disabled, to: disabled } };
  app.disabled = disabled;
  return { action: disabled ? 'app.disable' : 'app.enable', changes, revokesTokens: disabled, takesOver: !disabled };
}

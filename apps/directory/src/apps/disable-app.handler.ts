import { Controller } from '@nestjs/common';
import { disableApp, type App, type RequestContext, type RequestOf } from '@holdfast/contracts';
import { statement } from '@holdfast/data';
import { Handles } from '@holdfast/messaging';
import { appUpdated, Changes } from '../changes/changes.js';
import { bumpApp, lockApp } from './app.entity.js';

const update = statement('app_disable', 'UPDATE app SET disabled = $2 WHERE client_id = $1');

/** Tokens from before stay refused when the app is enabled again: it gets new ones. */
@Controller()
export class DisableAppHandler {
  constructor(private readonly changes: Changes) {}

  @Handles(disableApp)
  handle({ clientId, disabled }: RequestOf<typeof disableApp>, context: RequestContext): Promise<App> {
    return this.changes.commit(context, async (sql) => {
      const before = await lockApp(sql, clientId);
      await sql.rows(update, [clientId, disabled]);
      const app = await bumpApp(sql, clientId, { shrunk: disabled });
      const changes = { disabled: { from: before.disabled, to: disabled } };
      return { change: appUpdated(app, disabled ? 'app.disable' : 'app.enable', { changes }), reply: app };
    });
  }
}

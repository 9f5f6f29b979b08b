import { Controller } from '@nestjs/common';
import { ungrantOperations, type App, type RequestContext, type RequestOf } from '@holdfast/contracts';
import { statement } from '@holdfast/data';
import { Handles } from '@holdfast/messaging';
import { appUpdated, Changes } from '../../changes/changes.js';
import { bumpApp, lockApp } from '../app.entity.js';

const remove = statement('grant_delete', 'DELETE FROM app_grant WHERE client_id = $1 AND operation = ANY ($2::text[])');

/** Every token of the app dies with it, since each may hold what was taken away. */
@Controller()
export class UngrantOperationsHandler {
  constructor(private readonly changes: Changes) {}

  @Handles(ungrantOperations)
  handle({ clientId, operations }: RequestOf<typeof ungrantOperations>, context: RequestContext): Promise<App> {
    return this.changes.commit(context, async (sql) => {
      const before = await lockApp(sql, clientId);
      await sql.rows(remove, [clientId, operations]);
      const app = await bumpApp(sql, clientId, { shrunk: true });
      return {
        change: appUpdated(app, 'app.ungrant', { changes: { scopes: { from: before.scopes, to: app.scopes } } }),
        reply: app,
      };
    });
  }
}

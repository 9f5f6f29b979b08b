import { Controller } from '@nestjs/common';
import { grantOperations, type App, type RequestContext, type RequestOf } from '@holdfast/contracts';
import { Handles } from '@holdfast/messaging';
import { appUpdated, Changes } from '../../changes/changes.js';
import { bumpApp, lockApp } from '../app.entity.js';
import { insertGrants } from './grants.js';
import { requireGrantable } from './require-grantable.js';

@Controller()
export class GrantOperationsHandler {
  constructor(private readonly changes: Changes) {}

  @Handles(grantOperations)
  handle({ clientId, operations }: RequestOf<typeof grantOperations>, context: RequestContext): Promise<App> {
    return this.changes.commit(context, async (sql) => {
      const before = await lockApp(sql, clientId);
      await insertGrants(sql, clientId, before.kind, requireGrantable(before.kind, operations));
      const app = await bumpApp(sql, clientId);
      return {
        change: appUpdated(app, 'app.grant', { changes: { scopes: { from: before.scopes, to: app.scopes } } }),
        reply: app,
      };
    });
  }
}

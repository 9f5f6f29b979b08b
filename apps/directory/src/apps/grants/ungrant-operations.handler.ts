import { Controller } from '@nestjs/common';
import { ungrantOperations, type App, type RequestContext, type RequestOf } from '@holdfast/contracts';
import { Handles } from '@holdfast/messaging';
import { scopesOf } from '../app.entity.js';
import { Apps } from '../apps.js';
import { removeGrants } from './grants.js';

/** Revokes every access token of the app, since each may hold the operation that was removed. */
@Controller()
export class UngrantOperationsHandler {
  constructor(private readonly apps: Apps) {}

  @Handles(ungrantOperations)
  handle({ clientId, operations }: RequestOf<typeof ungrantOperations>, context: RequestContext): Promise<App> {
    return this.apps.change(clientId, context, (app) => {
      const from = scopesOf(app);
      removeGrants(app, operations);
      return { action: 'app.ungrant', changes: { scopes: { from, to: scopesOf(app) } }, revokesTokens: true };
    });
  }
}

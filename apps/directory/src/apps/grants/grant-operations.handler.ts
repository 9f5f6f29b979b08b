import { Controller } from '@nestjs/common';
import { grantOperations, type App, type RequestContext, type RequestOf } from '@holdfast/contracts';
import { Handles } from '@holdfast/messaging';
import { scopesOf } from '../app.entity.js';
import { Apps } from '../apps.js';
import { Secrets } from '../secrets/secrets.js';
import { addGrants } from './grants.js';
import { requireGrantable } from './require-grantable.js';

@Controller()
export class GrantOperationsHandler {
  constructor(
    private readonly apps: Apps,
    private readonly secrets: Secrets,
  ) {}

  @Handles(grantOperations)
  handle({ clientId, operations }: RequestOf<typeof grantOperations>, context: RequestContext): Promise<App> {
    return this.apps.change(clientId, context, async (app, manager) => {
      const from = scopesOf(app);
      const granted = requireGrantable(app.kind, operations);
      await this.secrets.requireUnseen(manager, clientId);
      addGrants(app, granted);
      return { action: 'app.grant', changes: { scopes: { from, to: scopesOf(app) } } };
    });
  }
}

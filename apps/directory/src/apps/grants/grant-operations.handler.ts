import { Controller } from '@nestjs/common';
import { grantOperations, type App, type RequestContext, type RequestOf } from '@holdfast/contracts';
import { Handles } from '@holdfast/messaging';
import { Apps } from '../apps.js';
import { Secrets } from '../secrets/secrets.js';
import { grantTo } from './grants.js';

@Controller()
export class GrantOperationsHandler {
  constructor(
    private readonly apps: Apps,
    private readonly secrets: Secrets,
  ) {}

  @Handles(grantOperations)
  handle({ clientId, operations }: RequestOf<typeof grantOperations>, context: RequestContext): Promise<App> {
    return this.apps.change(clientId, context, async (app, manager) => {
      const change = grantTo(app, operations);
      await this.secrets.requireUnseen(manager, clientId);
      return change;
    });
  }
}

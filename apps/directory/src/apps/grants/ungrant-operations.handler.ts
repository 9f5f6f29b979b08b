import { Controller } from '@nestjs/common';
import { ungrantOperations, type App, type RequestContext, type RequestOf } from '@holdfast/contracts';
import { Handles } from '@holdfast/messaging';
import { Apps } from '../apps.js';
import { ungrantFrom } from './grants.js';

@Controller()
export class UngrantOperationsHandler {
  constructor(private readonly apps: Apps) {}

  @Handles(ungrantOperations)
  handle({ clientId, operations }: RequestOf<typeof ungrantOperations>, context: RequestContext): Promise<App> {
    return this.apps.change(clientId, context, (app) => ungrantFrom(app, operations));
  }
}

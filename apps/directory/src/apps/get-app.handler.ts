import { Controller } from '@nestjs/common';
import { Bus, Handles, recordOperator } from '@holdfast/bus';
import { getApp, type App, type CallContext, type RequestOf } from '@holdfast/contracts';
import { Database } from '@holdfast/data';
import { findApp } from './app.js';

@Controller()
export class GetAppHandler {
  constructor(
    private readonly database: Database,
    private readonly bus: Bus,
  ) {}

  @Handles(getApp)
  async handle({ clientId }: RequestOf<typeof getApp>, context: CallContext): Promise<App> {
    const app = await findApp(this.database, clientId);
    await recordOperator(this.bus, { ...context, org: app.org }, 'app.read', [{ type: 'app', id: clientId }]);
    return app;
  }
}

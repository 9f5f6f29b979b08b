import { Controller } from '@nestjs/common';
import { recordReadOfOperator } from '@holdfast/audit-client';
import { getApp, type App, type RequestContext, type RequestOf } from '@holdfast/contracts';
import { Bus, Handles } from '@holdfast/messaging';
import { Apps } from './apps.js';

@Controller()
export class GetAppHandler {
  constructor(
    private readonly apps: Apps,
    private readonly bus: Bus,
  ) {}

  @Handles(getApp)
  async handle({ clientId }: RequestOf<typeof getApp>, context: RequestContext): Promise<App> {
    const app = await this.apps.find(clientId);
    await recordReadOfOperator(this.bus, { ...context, org: app.org }, 'app.read', [{ type: 'app', id: clientId }]);
    return app;
  }
}

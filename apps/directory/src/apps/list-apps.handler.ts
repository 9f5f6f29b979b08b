import { Controller } from '@nestjs/common';
import { recordReadOfOperator } from '@holdfast/audit-client';
import { listApps, type ReplyOf, type RequestContext, type RequestOf } from '@holdfast/contracts';
import { Bus, Handles } from '@holdfast/messaging';
import { Organizations } from '../organizations/organizations.js';
import { Apps } from './apps.js';

@Controller()
export class ListAppsHandler {
  constructor(
    private readonly organizations: Organizations,
    private readonly apps: Apps,
    private readonly bus: Bus,
  ) {}

  @Handles(listApps)
  async handle({ org }: RequestOf<typeof listApps>, context: RequestContext): Promise<ReplyOf<typeof listApps>> {
    await this.organizations.requireExists(org);
    await recordReadOfOperator(this.bus, { ...context, org }, 'app.list');
    return { items: await this.apps.list(org) };
  }
}

import { Controller } from '@nestjs/common';
import { recordOperator } from '@holdfast/audit-client';
import { listApps, type ReplyOf, type RequestContext, type RequestOf } from '@holdfast/contracts';
import { Database, statement } from '@holdfast/data';
import { Bus, Handles } from '@holdfast/messaging';
import { AppError } from '@holdfast/platform';
import { appColumns, toApp, type AppRow } from './app.entity.js';

const organization = statement('apps_organization', 'SELECT 1 FROM organization WHERE short_id = $1');
const select = statement(
  'app_list',
  `SELECT ${appColumns} FROM app a WHERE a.org = $1 ORDER BY a.created_at, a.client_id`,
);

@Controller()
export class ListAppsHandler {
  constructor(
    private readonly database: Database,
    private readonly bus: Bus,
  ) {}

  @Handles(listApps)
  async handle({ org }: RequestOf<typeof listApps>, context: RequestContext): Promise<ReplyOf<typeof listApps>> {
    if ((await this.database.rows(organization, [org])).length === 0)
      throw new AppError('unknown_organization', `There is no organization "${org}".`);
    await recordOperator(this.bus, { ...context, org }, 'app.list');
    return { items: (await this.database.rows<AppRow>(select, [org])).map(toApp) };
  }
}

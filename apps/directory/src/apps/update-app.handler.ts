import { Controller } from '@nestjs/common';
import { updateApp, type App, type AuditRecord, type RequestContext, type RequestOf } from '@holdfast/contracts';
import { Handles } from '@holdfast/messaging';
import { Outbound } from '@holdfast/platform';
import { toApp } from './app.entity.js';
import { Apps } from './apps.js';
import { requireCallable } from './require-callable.js';
import { requireUsable } from './require-usable.js';

type Changed = Omit<RequestOf<typeof updateApp>, 'clientId'>;

@Controller()
export class UpdateAppHandler {
  constructor(
    private readonly apps: Apps,
    private readonly outbound: Outbound,
  ) {}

  @Handles(updateApp)
  handle({ clientId, ...changed }: RequestOf<typeof updateApp>, context: RequestContext): Promise<App> {
    requireCallable(this.outbound, changed.backchannelLogoutUri);
    return this.apps.change(clientId, context, (app) => {
      requireUsable(app.kind, changed);
      const changes = differences(toApp(app), changed);
      Object.assign(app, changed);
      return { action: 'app.update', changes };
    });
  }
}

function differences(before: App, changed: Changed): AuditRecord['changes'] {
  return Object.fromEntries(
    Object.entries(changed)
      .map(([field, to]) => [field, { from: before[field as keyof App], to }] as const)
      .filter(([, { from, to }]) => JSON.stringify(from) !== JSON.stringify(to)),
  );
}

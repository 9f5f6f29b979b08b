import { Controller } from '@nestjs/common';
import { limitApp, type App, type RequestContext, type RequestOf } from '@holdfast/contracts';
import { Handles } from '@holdfast/messaging';
import { changedRateLimits } from '../organizations/rate-limits.js';
import { Apps } from './apps.js';

/** Sets quotas of an app. Its earlier tokens stay valid, with the quotas that they were issued with. */
@Controller()
export class LimitAppHandler {
  constructor(private readonly apps: Apps) {}

  @Handles(limitApp)
  handle({ clientId, rateLimits }: RequestOf<typeof limitApp>, context: RequestContext): Promise<App> {
    return this.apps.change(clientId, context, (app) => {
      const from = app.rateLimits;
      app.rateLimits = changedRateLimits(from, rateLimits);
      return { action: 'app.update', changes: { rateLimits: { from: from ?? {}, to: app.rateLimits ?? {} } } };
    });
  }
}

import { Injectable } from '@nestjs/common';
import { getApp, type StreamAudience } from '@holdfast/contracts';
import { Bus, systemContext } from '@holdfast/messaging';
import { AppError } from '@holdfast/platform';

/** Receivers are apps, which directory knows. */
@Injectable()
export class Receivers {
  constructor(private readonly bus: Bus) {}

  /** Whose changes a receiver receives. @throws unknown_app, unavailable */
  async audienceOf(org: string, clientId: string): Promise<StreamAudience> {
    const app = await this.bus.request(getApp, { clientId }, { ...systemContext('signals'), org });
    if (app.org !== org || app.kind !== 'receiver')
      throw new AppError('unknown_app', `There is no receiver "${clientId}".`);
    return app.audience;
  }
}

import { Handles } from '@holdfast/bus';
import { getApp, type App, type RequestOf } from '@holdfast/contracts';
import { Database } from '@holdfast/data';
import { Controller } from '@nestjs/common';
import { findApp } from './app.js';

@Controller()
export class GetAppHandler {
  constructor(private readonly database: Database) {}

  @Handles(getApp)
  handle({ clientId }: RequestOf<typeof getApp>): Promise<App> {
    return findApp(this.database, clientId);
  }
}

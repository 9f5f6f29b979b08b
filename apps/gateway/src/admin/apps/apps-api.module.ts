import { Module } from '@nestjs/common';
import { Resources } from '../../requests/resources.js';
import { AppChangesController } from './app-changes.controller.js';
import { AppGrantsController } from './app-grants.controller.js';
import { AppSecretsController } from './app-secrets.controller.js';
import { AppsController } from './apps.controller.js';

@Module({
  controllers: [AppsController, AppChangesController, AppGrantsController, AppSecretsController],
  providers: [Resources],
})
export class AppsApiModule {}

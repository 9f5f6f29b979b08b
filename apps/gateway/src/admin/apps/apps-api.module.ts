import { Module } from '@nestjs/common';
import { Resources } from '../../requests/resources.js';
import { AppChangesController } from './app-changes.controller.js';
import { AppSecretsController } from './app-secrets.controller.js';
import { AppsController } from './apps.controller.js';

@Module({ controllers: [AppsController, AppChangesController, AppSecretsController], providers: [Resources] })
export class AppsApiModule {}

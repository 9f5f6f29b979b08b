import { Module } from '@nestjs/common';
import { Resources } from '../../requests/resources.js';
import { AppsController } from './apps.controller.js';

@Module({ controllers: [AppsController], providers: [Resources] })
export class AppsApiModule {}

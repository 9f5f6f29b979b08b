import { Module } from '@nestjs/common';
import { Resources } from '../../requests/resources.js';
import { AccessDecisionsController } from './access-decisions.controller.js';
import { AccessRequestsController } from './access-requests.controller.js';

@Module({ controllers: [AccessRequestsController, AccessDecisionsController], providers: [Resources] })
export class AccessRequestsApiModule {}

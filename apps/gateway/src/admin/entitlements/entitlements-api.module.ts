import { Module } from '@nestjs/common';
import { Resources } from '../../requests/resources.js';
import { AssignmentsController } from './assignments.controller.js';
import { EntitlementsController } from './entitlements.controller.js';

@Module({ controllers: [AssignmentsController, EntitlementsController], providers: [Resources] })
export class EntitlementsApiModule {}

import { Module } from '@nestjs/common';
import { Resources } from '../../requests/resources.js';
import { DestinationActionsController } from './destination-actions.controller.js';
import { DestinationsController } from './destinations.controller.js';

@Module({
  controllers: [DestinationsController, DestinationActionsController],
  providers: [Resources],
})
export class AuditDestinationsApiModule {}

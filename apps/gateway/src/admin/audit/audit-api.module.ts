import { Module } from '@nestjs/common';
import { Resources } from '../../requests/resources.js';
import { AuditEntriesController } from './audit-entries.controller.js';
import { AuditEventsController } from './audit-events.controller.js';
import { AuditProofsController } from './audit-proofs.controller.js';
import { AuditTilesController } from './audit-tiles.controller.js';

@Module({
  controllers: [AuditEventsController, AuditProofsController, AuditTilesController, AuditEntriesController],
  providers: [Resources],
})
export class AuditApiModule {}

import { Module } from '@nestjs/common';
import { forwardedEndpoints } from '@holdfast/contracts/http';
import { AuditRecordsModule } from '../../audit/audit-records.module.js';
import { forwardingController } from '../../requests/forward.js';
import { RequestsModule } from '../../requests/requests.module.js';
import { AuditEntriesController } from './audit-entries.controller.js';
import { AuditEventsController } from './audit-events.controller.js';
import { AuditStreamController } from './audit-stream.controller.js';
import { AuditStreams } from './audit-streams.js';
import { AuditTilesController } from './audit-tiles.controller.js';
import { AuditExportFileController } from './exports/audit-export-file.controller.js';
import { FollowRecords } from './follow-records.js';
import { LogGrowth } from './log-growth.js';
import { LogReader } from './log-reader.js';

@Module({
  imports: [AuditRecordsModule, RequestsModule],
  controllers: [
    AuditEventsController,
    forwardingController(forwardedEndpoints.auditEvents),
    AuditStreamController,
    forwardingController(forwardedEndpoints.auditProofs),
    AuditTilesController,
    AuditEntriesController,
    forwardingController(forwardedEndpoints.auditExports),
    AuditExportFileController,
  ],
  providers: [AuditStreams, FollowRecords, LogGrowth, LogReader],
  exports: [FollowRecords],
})
export class AuditApiModule {}

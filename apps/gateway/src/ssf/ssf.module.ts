import { Module } from '@nestjs/common';
import { forwardedEndpoints } from '@holdfast/contracts/http';
import { AuditApiModule } from '../admin/audit/audit-api.module.js';
import { forwardingController } from '../requests/forward.js';
import { RequestsModule } from '../requests/requests.module.js';
import { DiscoveryController } from './discovery.controller.js';
import { HeldPolls } from './held-polls.js';
import { PollController } from './poll.controller.js';
import { StreamGrowth } from './stream-growth.js';
import { StreamsController } from './streams.controller.js';

/** Shared Signals: the API of receivers, and what administrators do with receivers and streams. */
@Module({
  imports: [RequestsModule, AuditApiModule],
  controllers: [
    DiscoveryController,
    StreamsController,
    PollController,
    forwardingController(forwardedEndpoints.ssf),
    forwardingController(forwardedEndpoints.ssfStreams),
    forwardingController(forwardedEndpoints.receivers),
  ],
  providers: [HeldPolls, StreamGrowth],
})
export class SsfModule {}

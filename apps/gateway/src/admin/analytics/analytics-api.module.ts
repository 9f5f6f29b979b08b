import { Module } from '@nestjs/common';
import { forwardedEndpoints } from '@holdfast/contracts/http';
import { Forwarder, forwardingController } from '../../requests/forward.js';
import { Resources } from '../../requests/resources.js';

@Module({
  controllers: [forwardingController(forwardedEndpoints.analytics)],
  providers: [Resources, Forwarder],
})
export class AnalyticsApiModule {}

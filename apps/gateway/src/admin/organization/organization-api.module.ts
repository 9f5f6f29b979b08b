import { Module } from '@nestjs/common';
import { forwardedEndpoints } from '@holdfast/contracts/http';
import { forwardingController } from '../../requests/forward.js';
import { RequestsModule } from '../../requests/requests.module.js';

@Module({
  imports: [RequestsModule],
  controllers: [forwardingController(forwardedEndpoints.organization)],
})
export class OrganizationApiModule {}

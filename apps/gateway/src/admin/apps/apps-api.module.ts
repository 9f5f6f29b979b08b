import { Module } from '@nestjs/common';
import { forwardedEndpoints } from '@holdfast/contracts/http';
import { Forwarder, forwardingController } from '../../requests/forward.js';
import { Resources } from '../../requests/resources.js';

const { apps } = forwardedEndpoints;

@Module({
  controllers: [forwardingController([...apps])],
  providers: [Resources, Forwarder],
})
export class AppsApiModule {}

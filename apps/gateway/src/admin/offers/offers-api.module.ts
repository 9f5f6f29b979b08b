import { Module } from '@nestjs/common';
import { forwardedEndpoints } from '@holdfast/contracts/http';
import { Forwarder, forwardingController } from '../../requests/forward.js';
import { Resources } from '../../requests/resources.js';

const { adminOffers } = forwardedEndpoints;

@Module({
  controllers: [forwardingController([...adminOffers])],
  providers: [Resources, Forwarder],
})
export class OffersApiModule {}

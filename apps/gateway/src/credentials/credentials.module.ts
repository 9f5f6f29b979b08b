import { Module } from '@nestjs/common';
import { forwardedEndpoints } from '@holdfast/contracts/http';
import { Forwarder, forwardingController } from '../requests/forward.js';
import { Resources } from '../requests/resources.js';

const { offers, subjects, credentials } = forwardedEndpoints;

@Module({
  controllers: [forwardingController([...offers, ...subjects, ...credentials])],
  providers: [Resources, Forwarder],
})
export class CredentialsModule {}

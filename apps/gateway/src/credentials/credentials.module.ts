import { Module } from '@nestjs/common';
import { forwardedEndpoints } from '@holdfast/contracts/http';
import { forwardingController } from '../requests/forward.js';
import { RequestsModule } from '../requests/requests.module.js';

const { offers, subjects, credentials } = forwardedEndpoints;

@Module({
  imports: [RequestsModule],
  controllers: [forwardingController([...offers, ...subjects, ...credentials])],
})
export class CredentialsModule {}

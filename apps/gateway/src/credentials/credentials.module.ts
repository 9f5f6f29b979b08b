import { Module } from '@nestjs/common';
import { forwardedEndpoints } from '@holdfast/contracts/http';
import { forwardingController } from '../requests/forward.js';
import { RequestsModule } from '../requests/requests.module.js';
import { CustomerHistoryController } from './customer-history.controller.js';

const { offers, subjects, credentials, customerSessions } = forwardedEndpoints;

@Module({
  imports: [RequestsModule],
  controllers: [
    forwardingController([...offers, ...subjects, ...credentials, ...customerSessions]),
    CustomerHistoryController,
  ],
})
export class CredentialsModule {}

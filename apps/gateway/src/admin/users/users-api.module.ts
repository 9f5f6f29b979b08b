import { Module } from '@nestjs/common';
import { forwardedEndpoints } from '@holdfast/contracts/http';
import { forwardingController } from '../../requests/forward.js';
import { RequestsModule } from '../../requests/requests.module.js';
import { AccountController } from './account.controller.js';

@Module({
  imports: [RequestsModule],
  // In the order of the API reference.
  controllers: [
    forwardingController(forwardedEndpoints.users),
    forwardingController(forwardedEndpoints.userPasskeys),
    forwardingController(forwardedEndpoints.account),
    AccountController,
    forwardingController(forwardedEndpoints.ownPasskeys),
    forwardingController(forwardedEndpoints.personSessions),
  ],
})
export class UsersApiModule {}

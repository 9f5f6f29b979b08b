import { Module } from '@nestjs/common';
import { forwardedEndpoints } from '@holdfast/contracts/http';
import { Forwarder, forwardingController } from '../../requests/forward.js';
import { Resources } from '../../requests/resources.js';
import { AccountController } from './account.controller.js';

@Module({
  // In the order of the API reference.
  controllers: [
    forwardingController(forwardedEndpoints.users),
    forwardingController(forwardedEndpoints.userPasskeys),
    forwardingController(forwardedEndpoints.account),
    AccountController,
    forwardingController(forwardedEndpoints.ownPasskeys),
  ],
  providers: [Resources, Forwarder],
})
export class UsersApiModule {}

import { Module } from '@nestjs/common';
import { Resources } from '../../requests/resources.js';
import { AccountController } from './account.controller.js';
import { UserChangesController } from './user-changes.controller.js';
import { UserInvitationsController } from './user-invitations.controller.js';
import { UserPasskeysController } from './user-passkeys.controller.js';
import { UsersController } from './users.controller.js';

@Module({
  controllers: [
    UsersController,
    UserChangesController,
    UserInvitationsController,
    UserPasskeysController,
    AccountController,
  ],
  providers: [Resources],
})
export class UsersApiModule {}

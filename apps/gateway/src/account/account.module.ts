import { Module } from '@nestjs/common';
import { AccountController } from './account.controller.js';
import { PasskeyLinkController } from './passkey-link.controller.js';

@Module({ controllers: [AccountController, PasskeyLinkController] })
export class AccountModule {}

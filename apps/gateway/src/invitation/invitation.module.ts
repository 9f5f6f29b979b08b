import { Module } from '@nestjs/common';
import { InvitationController } from './invitation.controller.js';

@Module({ controllers: [InvitationController] })
export class InvitationModule {}

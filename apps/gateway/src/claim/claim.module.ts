import { Module } from '@nestjs/common';
import { ClaimController } from './claim.controller.js';

@Module({ controllers: [ClaimController] })
export class ClaimModule {}

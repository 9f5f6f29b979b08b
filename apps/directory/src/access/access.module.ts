import { Module } from '@nestjs/common';
import { AccessChangesHandler } from './access-changes.handler.js';
import { AppAccessHandler } from './app-access.handler.js';
import { Heartbeat } from './heartbeat.js';
import { MakerRightsHandler } from './maker-rights.handler.js';

@Module({
  controllers: [AccessChangesHandler, AppAccessHandler, MakerRightsHandler],
  providers: [Heartbeat],
  exports: [Heartbeat],
})
export class AccessModule {}

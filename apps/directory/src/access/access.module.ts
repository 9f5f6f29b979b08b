import { Module } from '@nestjs/common';
import { AccessChangesHandler } from './access-changes.handler.js';
import { AppAccessHandler } from './app-access.handler.js';
import { Heartbeat } from './heartbeat.js';

@Module({ controllers: [AccessChangesHandler, AppAccessHandler], providers: [Heartbeat], exports: [Heartbeat] })
export class AccessModule {}

import { Module } from '@nestjs/common';
import { Resources } from '../../requests/resources.js';
import { EventsController } from './events.controller.js';

@Module({ controllers: [EventsController], providers: [Resources] })
export class EventsModule {}

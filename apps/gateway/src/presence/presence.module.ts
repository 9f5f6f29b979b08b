import { Module } from '@nestjs/common';
import { PresenceController } from './presence.controller.js';
import { WidgetController } from './widget.controller.js';
import { readWidget, WIDGET } from './widget.js';

@Module({
  controllers: [PresenceController, WidgetController],
  providers: [{ provide: WIDGET, useFactory: () => readWidget() }],
})
export class PresenceModule {}

import { Module } from '@nestjs/common';
import { Forwarder } from './forward.js';
import { Resources } from './resources.js';

/** What modules with forwarding controllers import. */
@Module({ providers: [Resources, Forwarder], exports: [Resources, Forwarder] })
export class RequestsModule {}

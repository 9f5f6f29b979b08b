import { Module } from '@nestjs/common';
import { Outbound } from '@holdfast/platform';
import { outboundProvider } from '@holdfast/service';

/** The one client for requests to addresses that operators configure. */
@Module({ providers: [outboundProvider], exports: [Outbound] })
export class OutboundModule {}

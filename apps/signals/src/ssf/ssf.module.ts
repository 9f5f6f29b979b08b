import { Module } from '@nestjs/common';
import { FeedModule } from '../feed/feed.module.js';
import { SendingModule } from '../sending/sending.module.js';
import { WebhooksModule } from '../webhooks/webhooks.module.js';
import { Authorizations } from './authorizations.js';
import { StreamFanOut } from './delivery/fan-out.js';
import { PushDeliveries } from './delivery/push-deliveries.js';
import { PushQueue } from './delivery/push-queue.js';
import { PushSender } from './delivery/push-sender.js';
import { StreamGrowth } from './delivery/stream-growth.js';
import { OwnStreamsHandler } from './own-streams.handler.js';
import { TokenPartitions } from './partitions.js';
import { Polls } from './polls.js';
import { Receivers } from './receivers.js';
import { StreamChanges } from './stream-changes.js';
import { StreamMakers } from './stream-makers.js';
import { StreamPauses } from './stream-pauses.js';
import { StreamSubjects } from './stream-subjects.js';
import { StreamsHandler } from './streams.handler.js';
import { Streams } from './streams.js';
import { TokenSigner } from './token-signer.js';
import { Tokens } from './tokens.js';
import { Transmitter } from './transmitter.js';

@Module({
  imports: [SendingModule, FeedModule, WebhooksModule],
  controllers: [OwnStreamsHandler, StreamsHandler],
  providers: [
    Authorizations,
    Receivers,
    Streams,
    StreamChanges,
    StreamSubjects,
    StreamMakers,
    StreamPauses,
    Transmitter,
    Tokens,
    Polls,
    TokenSigner,
    TokenPartitions,
    StreamFanOut,
    StreamGrowth,
    PushDeliveries,
    PushQueue,
    PushSender,
  ],
  exports: [StreamMakers, StreamPauses],
})
export class SsfModule {}

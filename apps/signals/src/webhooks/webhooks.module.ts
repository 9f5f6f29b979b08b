import { Module } from '@nestjs/common';
import { AuditDestinationsModule } from '../audit-destinations/audit-destinations.module.js';
import { FeedModule } from '../feed/feed.module.js';
import { SendingModule } from '../sending/sending.module.js';
import { CatchUp } from './delivery/catch-up.js';
import { WebhookDeliveries } from './delivery/deliveries.js';
import { WebhookFanOut } from './delivery/fan-out.js';
import { Outcomes } from './delivery/outcomes.js';
import { WebhookQueue } from './delivery/webhook-queue.js';
import { WebhookSender } from './delivery/webhook-sender.js';
import { EndpointDisabling } from './endpoint-disabling.js';
import { EndpointMakers } from './endpoint-makers.js';
import { Endpoints } from './endpoints.js';
import { Messages } from './messages.js';
import { OperatorRequests } from './operator-requests.js';
import { WebhookPartitions } from './partitions.js';
import { WebhookSecrets } from './secrets.js';
import { TestEndpoint } from './test-endpoint.js';
import { WebhookCatalogueHandler } from './webhook-catalogue.handler.js';
import { WebhookEndpointsHandler } from './webhook-endpoints.handler.js';
import { WebhookKeys } from './webhook-keys.js';
import { WebhookMessagesHandler } from './webhook-messages.handler.js';

@Module({
  imports: [SendingModule, FeedModule, AuditDestinationsModule],
  controllers: [WebhookEndpointsHandler, WebhookMessagesHandler, WebhookCatalogueHandler],
  providers: [
    EndpointMakers,
    OperatorRequests,
    Endpoints,
    TestEndpoint,
    Messages,
    WebhookSecrets,
    WebhookKeys,
    WebhookDeliveries,
    WebhookFanOut,
    WebhookQueue,
    WebhookSender,
    Outcomes,
    CatchUp,
    EndpointDisabling,
    WebhookPartitions,
  ],
  exports: [EndpointMakers, OperatorRequests],
})
export class WebhooksModule {}

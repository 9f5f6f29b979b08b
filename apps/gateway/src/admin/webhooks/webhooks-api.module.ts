import { Module } from '@nestjs/common';
import { forwardedEndpoints } from '@holdfast/contracts/http';
import { forwardingController } from '../../requests/forward.js';
import { RequestsModule } from '../../requests/requests.module.js';
import { WebhookKeysController } from './webhook-keys.controller.js';

@Module({
  imports: [RequestsModule],
  controllers: [
    forwardingController(forwardedEndpoints.webhooks),
    forwardingController(forwardedEndpoints.webhookMessages),
    WebhookKeysController,
  ],
})
export class WebhooksApiModule {}

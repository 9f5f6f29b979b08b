import { Controller } from '@nestjs/common';
import {
  listWebhookAttempts,
  listWebhookMessages,
  recoverWebhookEndpoint,
  resendWebhookMessage,
  type ReplyOf,
  type RequestContext,
  type RequestOf,
} from '@holdfast/contracts';
import { Handles } from '@holdfast/messaging';
import { Idempotency } from '@holdfast/outbox';
import { Messages } from './messages.js';
import { OperatorRequests } from './operator-requests.js';

@Controller()
export class WebhookMessagesHandler {
  constructor(
    private readonly operator: OperatorRequests,
    private readonly messages: Messages,
    private readonly idempotency: Idempotency,
  ) {}

  @Handles(listWebhookMessages)
  async list(
    request: RequestOf<typeof listWebhookMessages>,
    context: RequestContext,
  ): Promise<ReplyOf<typeof listWebhookMessages>> {
    await this.operator.recordRead(context, 'webhook_message.list');
    return this.messages.list(request, context);
  }

  @Handles(listWebhookAttempts)
  async attempts(
    { id }: RequestOf<typeof listWebhookAttempts>,
    context: RequestContext,
  ): Promise<ReplyOf<typeof listWebhookAttempts>> {
    const found = await this.messages.attempts(id, context);
    await this.operator.recordRead(context, 'webhook_message.read', [{ type: 'webhook_message', id }]);
    return found;
  }

  @Handles(resendWebhookMessage)
  resend(
    request: RequestOf<typeof resendWebhookMessage>,
    context: RequestContext,
  ): Promise<ReplyOf<typeof resendWebhookMessage>> {
    return this.idempotency.once(resendWebhookMessage, request, context, (keyed) =>
      this.messages.resend(request.id, request.endpoint, context, keyed),
    );
  }

  @Handles(recoverWebhookEndpoint)
  recover(
    request: RequestOf<typeof recoverWebhookEndpoint>,
    context: RequestContext,
  ): Promise<ReplyOf<typeof recoverWebhookEndpoint>> {
    return this.idempotency.once(recoverWebhookEndpoint, request, context, (keyed) =>
      this.messages.recover(request.id, request.recovery, context, keyed),
    );
  }
}

import { Controller } from '@nestjs/common';
import {
  createWebhookEndpoint,
  deleteWebhookEndpoint,
  getWebhookEndpoint,
  listWebhookEndpoints,
  pauseWebhookEndpoint,
  resumeWebhookEndpoint,
  rotateWebhookKey,
  rotateWebhookSecret,
  testWebhookEndpoint,
  updateWebhookEndpoint,
  type ReplyOf,
  type RequestContext,
  type RequestOf,
} from '@holdfast/contracts';
import { Handles } from '@holdfast/messaging';
import { Idempotency } from '@holdfast/outbox';
import { endpointTarget } from './endpoint.js';
import { Endpoints } from './endpoints.js';
import { OperatorRequests } from './operator-requests.js';
import { TestEndpoint } from './test-endpoint.js';

/** The requests about webhook endpoints. A command runs once for an Idempotency-Key. */
@Controller()
export class WebhookEndpointsHandler {
  constructor(
    private readonly operator: OperatorRequests,
    private readonly endpoints: Endpoints,
    private readonly tests: TestEndpoint,
    private readonly idempotency: Idempotency,
  ) {}

  @Handles(listWebhookEndpoints)
  async list(
    _: RequestOf<typeof listWebhookEndpoints>,
    context: RequestContext,
  ): Promise<ReplyOf<typeof listWebhookEndpoints>> {
    await this.operator.recordRead(context, 'webhook_endpoint.list');
    return { items: await this.endpoints.list(context) };
  }

  @Handles(getWebhookEndpoint)
  async get(
    { id }: RequestOf<typeof getWebhookEndpoint>,
    context: RequestContext,
  ): Promise<ReplyOf<typeof getWebhookEndpoint>> {
    const found = await this.endpoints.get(context, id);
    await this.operator.recordRead(context, 'webhook_endpoint.read', [endpointTarget(id)]);
    return found;
  }

  @Handles(createWebhookEndpoint)
  create(
    request: RequestOf<typeof createWebhookEndpoint>,
    context: RequestContext,
  ): Promise<ReplyOf<typeof createWebhookEndpoint>> {
    return this.idempotency.once(createWebhookEndpoint, request, context, (keyed) =>
      this.endpoints.create(request.endpoint, context, keyed),
    );
  }

  @Handles(updateWebhookEndpoint)
  update(
    request: RequestOf<typeof updateWebhookEndpoint>,
    context: RequestContext,
  ): Promise<ReplyOf<typeof updateWebhookEndpoint>> {
    return this.idempotency.once(updateWebhookEndpoint, request, context, (keyed) =>
      this.endpoints.update(request.id, request.changes, request.ifVersions, context, keyed),
    );
  }

  @Handles(pauseWebhookEndpoint)
  pause(
    request: RequestOf<typeof pauseWebhookEndpoint>,
    context: RequestContext,
  ): Promise<ReplyOf<typeof pauseWebhookEndpoint>> {
    return this.idempotency.once(pauseWebhookEndpoint, request, context, (keyed) =>
      this.endpoints.pause(request.id, context, keyed),
    );
  }

  @Handles(resumeWebhookEndpoint)
  resume(
    request: RequestOf<typeof resumeWebhookEndpoint>,
    context: RequestContext,
  ): Promise<ReplyOf<typeof resumeWebhookEndpoint>> {
    return this.idempotency.once(resumeWebhookEndpoint, request, context, (keyed) =>
      this.endpoints.resume(request.id, request.skip, context, keyed),
    );
  }

  @Handles(rotateWebhookSecret)
  rotateSecret(
    request: RequestOf<typeof rotateWebhookSecret>,
    context: RequestContext,
  ): Promise<ReplyOf<typeof rotateWebhookSecret>> {
    return this.idempotency.once(rotateWebhookSecret, request, context, (keyed) =>
      this.endpoints.rotateSecret(request.id, context, keyed),
    );
  }

  @Handles(rotateWebhookKey)
  rotateKey(
    request: RequestOf<typeof rotateWebhookKey>,
    context: RequestContext,
  ): Promise<ReplyOf<typeof rotateWebhookKey>> {
    return this.idempotency.once(rotateWebhookKey, request, context, (keyed) =>
      this.endpoints.rotateKey(context, keyed),
    );
  }

  @Handles(testWebhookEndpoint)
  test(
    request: RequestOf<typeof testWebhookEndpoint>,
    context: RequestContext,
  ): Promise<ReplyOf<typeof testWebhookEndpoint>> {
    return this.idempotency.once(testWebhookEndpoint, request, context, (keyed) =>
      this.tests.send(request.id, request.type, context, keyed),
    );
  }

  @Handles(deleteWebhookEndpoint)
  delete(
    request: RequestOf<typeof deleteWebhookEndpoint>,
    context: RequestContext,
  ): Promise<ReplyOf<typeof deleteWebhookEndpoint>> {
    return this.idempotency.once(deleteWebhookEndpoint, request, context, (keyed) =>
      this.endpoints.delete(request.id, request.ifVersions, context, keyed),
    );
  }
}

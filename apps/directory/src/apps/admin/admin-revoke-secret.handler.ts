import { Controller } from '@nestjs/common';
import { adminRevokeSecret, type ReplyOf, type RequestContext, type RequestOf } from '@holdfast/contracts';
import { Handles } from '@holdfast/messaging';
import { Idempotency } from '@holdfast/outbox';
import { Secrets } from '../secrets/secrets.js';
import { ManagedApps } from './managed-apps.js';

/** DELETE …/admin/apps/{clientId}/secrets/{secretId} */
@Controller()
export class AdminRevokeSecretHandler {
  constructor(
    private readonly managed: ManagedApps,
    private readonly secrets: Secrets,
    private readonly idempotency: Idempotency,
  ) {}

  @Handles(adminRevokeSecret)
  handle(
    request: RequestOf<typeof adminRevokeSecret>,
    context: RequestContext,
  ): Promise<ReplyOf<typeof adminRevokeSecret>> {
    const { clientId, secretId } = request;
    return this.idempotency.once(adminRevokeSecret, request, context, (keyed) =>
      this.managed.change(
        'revoke_secret',
        request,
        context,
        async (_, manager) => {
          await this.secrets.revoke(manager, clientId, secretId);
          return { action: 'app.secret.revoke', targets: [{ type: 'secret', id: secretId }] };
        },
        () => ({}),
        keyed,
      ),
    );
  }
}

import { Controller } from '@nestjs/common';
import { adminCreateSecret, makerOf, type ReplyOf, type RequestContext, type RequestOf } from '@holdfast/contracts';
import { Handles } from '@holdfast/messaging';
import { Idempotency, type KeyedRequest } from '@holdfast/outbox';
import type { AppSecretEntity } from '../secrets/app-secret.entity.js';
import { requireSecretClient } from '../secrets/create-secret.handler.js';
import { generateSecret, Secrets } from '../secrets/secrets.js';
import { ManagedApps } from './managed-apps.js';
import { toManagedSecret } from './managed-secrets.js';

type Request = RequestOf<typeof adminCreateSecret>;
type Reply = ReplyOf<typeof adminCreateSecret>;

/** POST …/admin/apps/{clientId}/secrets */
@Controller()
export class AdminCreateSecretHandler {
  constructor(
    private readonly managed: ManagedApps,
    private readonly secrets: Secrets,
    private readonly idempotency: Idempotency,
  ) {}

  @Handles(adminCreateSecret)
  handle(request: Request, context: RequestContext): Promise<Reply> {
    return this.idempotency.once(adminCreateSecret, request, context, (keyed) => this.create(request, context, keyed));
  }

  private create(request: Request, context: RequestContext, keyed?: KeyedRequest): Promise<Reply> {
    const { secretId, clientSecret } = generateSecret();
    let stored: AppSecretEntity;
    return this.managed.change(
      'create_secret',
      request,
      context,
      async (app, manager) => {
        requireSecretClient(app);
        const { clientId } = request;
        stored = await this.secrets.store(manager, clientId, { secretId, clientSecret }, makerOf(context.actor));
        return { action: 'app.secret.create', targets: [{ type: 'secret', id: secretId }], takesOver: true };
      },
      () => ({ secret: { ...toManagedSecret(stored), clientSecret } }),
      keyed,
    );
  }
}

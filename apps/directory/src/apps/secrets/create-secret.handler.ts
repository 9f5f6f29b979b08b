import { Controller } from '@nestjs/common';
import { createSecret, makerOf, type ReplyOf, type RequestContext, type RequestOf } from '@holdfast/contracts';
import { Handles } from '@holdfast/messaging';
import { AppError } from '@holdfast/platform';
import { hasSecret, isPublicClient, type AppEntity } from '../app.entity.js';
import { Apps } from '../apps.js';
import { generateSecret, Secrets } from './secrets.js';

@Controller()
export class CreateSecretHandler {
  constructor(
    private readonly apps: Apps,
    private readonly secrets: Secrets,
  ) {}

  @Handles(createSecret)
  async handle(
    { clientId }: RequestOf<typeof createSecret>,
    context: RequestContext,
  ): Promise<ReplyOf<typeof createSecret>> {
    const secret = generateSecret();
    await this.apps.change(clientId, context, async (app, manager) => {
      requireSecretClient(app);
      await this.secrets.store(manager, clientId, secret, makerOf(context.actor));
      return { action: 'app.secret.create', targets: [{ type: 'secret', id: secret.secretId }], takesOver: true };
    });
    return secret;
  }
}

/** @throws invalid_state for an app that does not authenticate with a client secret */
export function requireSecretClient(app: Pick<AppEntity, 'kind' | 'tokenEndpointAuthMethod'>): void {
  if (isPublicClient(app.kind))
    throw new AppError('invalid_state', `A ${app.kind} app is public and has no client secret.`);
  if (!hasSecret(app))
    throw new AppError('invalid_state', 'The app authenticates with its private key and has no client secret.');
}

import { Controller } from '@nestjs/common';
import { createSecret, type ReplyOf, type RequestContext, type RequestOf } from '@holdfast/contracts';
import { Handles } from '@holdfast/messaging';
import { AppError } from '@holdfast/platform';
import { isPublicClient } from '../app.entity.js';
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
    await this.apps.change(clientId, context, async ({ kind, tokenEndpointAuthMethod }, manager) => {
      if (isPublicClient(kind))
        throw new AppError('invalid_state', `A ${kind} app is public and has no client secret.`);
      if (tokenEndpointAuthMethod === 'private_key_jwt')
        throw new AppError('invalid_state', 'The app authenticates with its private key and has no client secret.');
      await this.secrets.store(manager, clientId, secret);
      return { action: 'app.secret.create', targets: [{ type: 'secret', id: secret.secretId }] };
    });
    return secret;
  }
}

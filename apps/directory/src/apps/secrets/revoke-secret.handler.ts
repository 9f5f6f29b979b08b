import { Controller } from '@nestjs/common';
import { revokeSecret, type RequestContext, type RequestOf } from '@holdfast/contracts';
import { Handles } from '@holdfast/messaging';
import { Apps } from '../apps.js';
import { Secrets } from './secrets.js';

/** Revokes only the tokens obtained with this secret: those of the other one stay valid while secrets are rotated. */
@Controller()
export class RevokeSecretHandler {
  constructor(
    private readonly apps: Apps,
    private readonly secrets: Secrets,
  ) {}

  @Handles(revokeSecret)
  async handle(
    { clientId, secretId }: RequestOf<typeof revokeSecret>,
    context: RequestContext,
  ): Promise<Record<string, never>> {
    await this.apps.change(clientId, context, async (_, manager) => {
      await this.secrets.revoke(manager, clientId, secretId);
      return { action: 'app.secret.revoke', targets: [{ type: 'secret', id: secretId }] };
    });
    return {};
  }
}

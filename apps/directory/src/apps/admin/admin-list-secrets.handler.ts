import { Controller } from '@nestjs/common';
import { adminListSecrets, type ReplyOf, type RequestContext, type RequestOf } from '@holdfast/contracts';
import { Handles } from '@holdfast/messaging';
import { Apps } from '../apps.js';
import { Secrets } from '../secrets/secrets.js';
import { requireManaged } from './managed-apps.js';
import { toManagedSecret } from './managed-secrets.js';

/** GET …/admin/apps/{clientId}/secrets: at most two. */
@Controller()
export class AdminListSecretsHandler {
  constructor(
    private readonly apps: Apps,
    private readonly secrets: Secrets,
  ) {}

  @Handles(adminListSecrets)
  async handle(
    { clientId, right }: RequestOf<typeof adminListSecrets>,
    { org }: RequestContext,
  ): Promise<ReplyOf<typeof adminListSecrets>> {
    requireManaged(await this.apps.findOf(org, clientId), right);
    return { items: (await this.secrets.listValid(clientId)).map(toManagedSecret).reverse() };
  }
}

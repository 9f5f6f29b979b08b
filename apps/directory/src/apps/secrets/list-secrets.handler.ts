import { Controller } from '@nestjs/common';
import { recordReadOfOperator } from '@holdfast/audit-client';
import { listSecrets, type ReplyOf, type RequestContext, type RequestOf } from '@holdfast/contracts';
import { Bus, Handles } from '@holdfast/messaging';
import { Apps } from '../apps.js';
import { Secrets } from './secrets.js';

@Controller()
export class ListSecretsHandler {
  constructor(
    private readonly apps: Apps,
    private readonly secrets: Secrets,
    private readonly bus: Bus,
  ) {}

  @Handles(listSecrets)
  async handle(
    { clientId }: RequestOf<typeof listSecrets>,
    context: RequestContext,
  ): Promise<ReplyOf<typeof listSecrets>> {
    const { org } = await this.apps.find(clientId);
    const secrets = await this.secrets.listValid(clientId);
    await recordReadOfOperator(this.bus, { ...context, org }, 'app.secret.list', [{ type: 'app', id: clientId }]);
    return { items: secrets.map(({ id, createdAt }) => ({ id, createdAt: createdAt.toISOString() })) };
  }
}

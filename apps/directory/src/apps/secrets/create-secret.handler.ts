import { Controller } from '@nestjs/common';
import { createSecret, type ReplyOf, type RequestContext, type RequestOf } from '@holdfast/contracts';
import { Handles } from '@holdfast/messaging';
import { AppError } from '@holdfast/platform';
import { appUpdated, Changes } from '../../changes/changes.js';
import { bumpApp, lockApp } from '../app.entity.js';
import { Secrets } from './app-secret.entity.js';

@Controller()
export class CreateSecretHandler {
  constructor(
    private readonly changes: Changes,
    private readonly secrets: Secrets,
  ) {}

  @Handles(createSecret)
  handle({ clientId }: RequestOf<typeof createSecret>, context: RequestContext): Promise<ReplyOf<typeof createSecret>> {
    return this.changes.commit(context, async (sql) => {
      const { kind } = await lockApp(sql, clientId);
      if (kind === 'spa' || kind === 'native')
        throw new AppError('invalid_state', `A ${kind} app is public and has no client secret.`);
      const secret = await this.secrets.create(sql, clientId);
      const app = await bumpApp(sql, clientId);
      return {
        change: appUpdated(app, 'app.secret.create', { targets: [{ type: 'secret', id: secret.secretId }] }),
        reply: secret,
      };
    });
  }
}

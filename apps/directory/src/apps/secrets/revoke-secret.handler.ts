import { Controller } from '@nestjs/common';
import { revokeSecret, type RequestContext, type RequestOf } from '@holdfast/contracts';
import { statement } from '@holdfast/data';
import { Handles } from '@holdfast/messaging';
import { AppError } from '@holdfast/platform';
import { appUpdated, Changes } from '../../changes/changes.js';
import { bumpApp, lockApp } from '../app.entity.js';

const update = statement(
  'secret_revoke',
  'UPDATE app_secret SET revoked_at = clock_timestamp() WHERE client_id = $1 AND id = $2 AND revoked_at IS NULL RETURNING id',
);

/** Only tokens obtained with this secret die: those of the other one go on, or rotation would be a pause. */
@Controller()
export class RevokeSecretHandler {
  constructor(private readonly changes: Changes) {}

  @Handles(revokeSecret)
  handle(
    { clientId, secretId }: RequestOf<typeof revokeSecret>,
    context: RequestContext,
  ): Promise<Record<string, never>> {
    return this.changes.commit(context, async (sql) => {
      await lockApp(sql, clientId);
      const rows = await sql.rows(update, [clientId, secretId]);
      if (rows.length === 0) throw new AppError('unknown_secret', `The app has no live client secret "${secretId}".`);
      const app = await bumpApp(sql, clientId);
      return {
        change: appUpdated(app, 'app.secret.revoke', { targets: [{ type: 'secret', id: secretId }] }),
        reply: {},
      };
    });
  }
}

import { Controller } from '@nestjs/common';
import { recordOperator } from '@holdfast/audit-client';
import { listSecrets, type ReplyOf, type RequestContext, type RequestOf } from '@holdfast/contracts';
import { Database, statement } from '@holdfast/data';
import { Bus, Handles } from '@holdfast/messaging';
import { findApp } from '../app.entity.js';

const select = statement(
  'secret_list',
  'SELECT id, created_at FROM app_secret WHERE client_id = $1 AND revoked_at IS NULL ORDER BY created_at, id',
);

@Controller()
export class ListSecretsHandler {
  constructor(
    private readonly database: Database,
    private readonly bus: Bus,
  ) {}

  @Handles(listSecrets)
  async handle(
    { clientId }: RequestOf<typeof listSecrets>,
    context: RequestContext,
  ): Promise<ReplyOf<typeof listSecrets>> {
    const { org } = await findApp(this.database, clientId);
    const rows = await this.database.rows<{ id: string; created_at: Date }>(select, [clientId]);
    await recordOperator(this.bus, { ...context, org }, 'app.secret.list', [{ type: 'app', id: clientId }]);
    return { items: rows.map((row) => ({ id: row.id, createdAt: row.created_at.toISOString() })) };
  }
}

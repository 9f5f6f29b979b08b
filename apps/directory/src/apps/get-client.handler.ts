import { Controller } from '@nestjs/common';
import { getClient, type ReplyOf, type RequestOf } from '@holdfast/contracts';
import { Database, statement } from '@holdfast/data';
import { Handles } from '@holdfast/messaging';
import { AppError } from '@holdfast/platform';
import { appColumns, toApp, type AppRow } from './app.entity.js';

interface ClientRow extends AppRow {
  suspended: boolean;
  secrets: { id: string; hash: string }[];
}

// One statement, so that secrets, grants and state are of one moment.
const select = statement(
  'client_by_id',
  `SELECT ${appColumns}, o.suspended,
     (SELECT coalesce(json_agg(json_build_object('id', s.id, 'hash', encode(s.hash, 'hex')) ORDER BY s.created_at), '[]')
      FROM app_secret s WHERE s.client_id = a.client_id AND s.revoked_at IS NULL) AS secrets
   FROM app a JOIN organization o ON o.short_id = a.org WHERE a.client_id = $1`,
);

@Controller()
export class GetClientHandler {
  constructor(private readonly database: Database) {}

  @Handles(getClient)
  async handle({ clientId }: RequestOf<typeof getClient>): Promise<ReplyOf<typeof getClient>> {
    const [row] = await this.database.rows<ClientRow>(select, [clientId]);
    if (!row) throw new AppError('unknown_app', `There is no app "${clientId}".`);
    const secrets = row.secrets.map(({ id, hash }) => ({ id, hash: Buffer.from(hash, 'hex').toString('base64url') }));
    return { app: toApp(row), secrets, orgSuspended: row.suspended };
  }
}

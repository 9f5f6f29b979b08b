import { randomBytes } from 'node:crypto';
import { Inject, Injectable } from '@nestjs/common';
import { statement, type Sql } from '@holdfast/data';
import { AppError, keyedHash, newSecret } from '@holdfast/platform';
import { CONFIG } from '@holdfast/service';
import type { Config } from '../../config.js';

const insert = statement(
  'secret_insert',
  `INSERT INTO app_secret (id, client_id, hash, slot)
   SELECT $1, $2, $3, slot FROM unnest('{1,2}'::smallint[]) AS slot
   WHERE slot NOT IN (SELECT slot FROM app_secret WHERE client_id = $2 AND revoked_at IS NULL) ORDER BY slot LIMIT 1 RETURNING id`,
);

@Injectable()
export class Secrets {
  constructor(@Inject(CONFIG) private readonly config: Config) {}

  /** Makes a secret for an app that this transaction has locked or made. @throws invalid_state when two are live */
  async create(sql: Sql, clientId: string): Promise<{ secretId: string; clientSecret: string }> {
    const secretId = `sec_${randomBytes(9).toString('base64url')}`;
    const clientSecret = newSecret();
    const rows = await sql.rows(insert, [secretId, clientId, keyedHash(this.config.SECRET_PEPPER, clientSecret)]);
    if (rows.length === 0)
      throw new AppError(
        'invalid_state',
        'The app has two live client secrets, and no more may live at once; revoke one first.',
      );
    return { secretId, clientSecret };
  }
}

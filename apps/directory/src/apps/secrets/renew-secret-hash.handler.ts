import { Controller, Inject } from '@nestjs/common';
import { renewSecretHash, type ReplyOf, type RequestOf } from '@holdfast/contracts';
import { Database, statement } from '@holdfast/data';
import { Handles } from '@holdfast/messaging';
import { equal, keyedHash, keyIdOf } from '@holdfast/platform';
import { CONFIG } from '@holdfast/service';
import { peppersOf, type Config } from '../../config.js';
import { DirectoryKeyRotation } from '../../rotation/key-rotation.js';

const find = statement(
  'app_secret_find',
  'SELECT hash FROM app_secret WHERE id = $1 AND client_id = $2 AND revoked_at IS NULL',
);
/** Two replicas that renew a hash at the same time write the same one. */
const renew = statement(
  'app_secret_renew',
  'UPDATE app_secret SET hash = $3, pepper_id = $4 WHERE id = $1 AND client_id = $2 AND revoked_at IS NULL',
);

/** Stores a client secret that was presented to auth under the current SECRET_PEPPER. Changes no right. */
@Controller()
export class RenewSecretHashHandler {
  constructor(
    private readonly database: Database,
    private readonly rotation: DirectoryKeyRotation,
    @Inject(CONFIG) private readonly config: Config,
  ) {}

  @Handles(renewSecretHash)
  async handle({
    clientId,
    secretId,
    secret,
  }: RequestOf<typeof renewSecretHash>): Promise<ReplyOf<typeof renewSecretHash>> {
    const [current, ...others] = peppersOf(this.config);
    const [row] = await this.database.rows<{ hash: Buffer }>(find, [secretId, clientId]);
    const renewed =
      this.rotation.leads('SECRET_PEPPER') &&
      row !== undefined &&
      others.some((pepper) => equal(row.hash, keyedHash(pepper, secret)));
    if (renewed) {
      const hash = keyedHash(current, secret);
      await this.database.rows(renew, [secretId, clientId, hash, keyIdOf(current, 'SECRET_PEPPER')]);
    }
    return { renewed };
  }
}

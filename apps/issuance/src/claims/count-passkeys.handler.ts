import { Controller, Inject } from '@nestjs/common';
import { recordReadOfOperator } from '@holdfast/audit-client';
import { countPasskeys, type ReplyOf, type RequestContext, type RequestOf } from '@holdfast/contracts';
import { Database, statement } from '@holdfast/data';
import { Bus, Handles } from '@holdfast/messaging';
import { CONFIG } from '@holdfast/service';
import type { IssuanceConfig } from '../config.js';
import { Organizations } from '../settings/organizations.js';

const count = statement(
  'passkey_count',
  'SELECT rp_id AS "rpId", count(*)::int AS passkeys FROM passkey WHERE org = $1 GROUP BY rp_id ORDER BY rp_id',
);

/** For the operator, before a change of the RP ID and before a migration ends (docs/rp-id.md). */
@Controller()
export class CountPasskeysHandler {
  constructor(
    private readonly database: Database,
    private readonly organizations: Organizations,
    private readonly bus: Bus,
    @Inject(CONFIG) private readonly config: IssuanceConfig,
  ) {}

  @Handles(countPasskeys)
  async handle(_: RequestOf<typeof countPasskeys>, context: RequestContext): Promise<ReplyOf<typeof countPasskeys>> {
    await this.organizations.require(context);
    await recordReadOfOperator(this.bus, context, 'passkey.count');
    return {
      ownRpId: this.config.relyingParty.id,
      items: await this.database.rows<{ rpId: string; passkeys: number }>(count, [context.org]),
    };
  }
}

import { Controller, Inject } from '@nestjs/common';
import {
  adminChangeRpId,
  adminEndRpIdMove,
  adminGetRpId,
  countPasskeys,
  type Organization,
  type OwnRpId,
  type ReplyOf,
  type RequestContext,
  type RequestOf,
} from '@holdfast/contracts';
import { Database, statement, type Sql } from '@holdfast/data';
import { Bus, Handles } from '@holdfast/messaging';
import { Idempotency } from '@holdfast/outbox';
import { AppError, Outbound } from '@holdfast/platform';
import { CONFIG } from '@holdfast/service';
import type { Config } from '../config.js';
import { Organizations } from './organizations.js';
import { changedRpId, changeRpIds, endedMove } from './rp-ids.js';
import { requireUsableRpId } from './usable-rp-id.js';

const countOfPeople = statement(
  'person_passkey_count',
  'SELECT rp_id AS "rpId", count(*)::int AS passkeys FROM person_passkey WHERE org = $1 GROUP BY rp_id',
);
const ownerWith = statement(
  'person_owner_with_rp_id',
  `SELECT 1 FROM person p JOIN person_passkey k ON k.org = p.org AND k.person_id = p.id
   WHERE p.org = $1 AND p.status = 'active' AND 'owner' = ANY (p.roles) AND k.rp_id = $2 LIMIT 1`,
);

/** …/admin/rp-id: the RP ID of the caller's organization (docs/rp-id.md). */
@Controller()
export class AdminRpIdHandler {
  private readonly ofDeployment: string;

  constructor(
    private readonly organizations: Organizations,
    private readonly database: Database,
    private readonly bus: Bus,
    private readonly outbound: Outbound,
    private readonly idempotency: Idempotency,
    @Inject(CONFIG) private readonly config: Config,
  ) {
    this.ofDeployment = config.relyingParty.id;
  }

  @Handles(adminGetRpId)
  async get(_: RequestOf<typeof adminGetRpId>, context: RequestContext): Promise<OwnRpId> {
    const { org } = context;
    const [organization, customers, people] = await Promise.all([
      this.organizations.find(org),
      this.bus.request(countPasskeys, {}, context),
      this.database.rows<{ rpId: string; passkeys: number }>(countOfPeople, [org]),
    ]);
    const shown = this.shown(organization);
    const rpIds = [shown.rpId, shown.earlier, ...[...customers.items, ...people].map(({ rpId }) => rpId)];
    const countIn = (items: { rpId: string; passkeys: number }[], rpId: string) =>
      items.find((item) => item.rpId === rpId)?.passkeys ?? 0;
    return {
      ...shown,
      passkeys: [...new Set(rpIds)]
        .filter((rpId) => rpId !== undefined)
        .map((rpId) => ({ rpId, customers: countIn(customers.items, rpId), people: countIn(people, rpId) })),
    };
  }

  @Handles(adminChangeRpId)
  change(
    request: RequestOf<typeof adminChangeRpId>,
    context: RequestContext,
  ): Promise<ReplyOf<typeof adminChangeRpId>> {
    // The domain of the deployment by its name would be a move from a domain to itself.
    const rpId = request.rpId === this.ofDeployment ? null : request.rpId;
    return this.idempotency.once(adminChangeRpId, request, context, async (keyed) => {
      // Before the transaction: the request to another domain may take seconds, and would hold the lock meanwhile.
      if (rpId !== null) await requireUsableRpId(rpId, this.config.BASE_URL, this.outbound);
      return this.organizations.changeWith(
        context.org,
        context,
        (organization) => changeRpIds(organization, changedRpId(organization, rpId, true)),
        (organization) => ({ rpId: this.shown(organization) }),
        keyed,
      );
    });
  }

  @Handles(adminEndRpIdMove)
  end(request: RequestOf<typeof adminEndRpIdMove>, context: RequestContext): Promise<ReplyOf<typeof adminEndRpIdMove>> {
    return this.idempotency.once(adminEndRpIdMove, request, context, (keyed) =>
      this.organizations.changeWith(
        context.org,
        context,
        async (organization, sql) => {
          const change = changeRpIds(organization, endedMove(organization));
          await this.requireOwnerWith(sql, context.org, organization.rpId ?? this.ofDeployment);
          return change;
        },
        (organization) => ({ rpId: this.shown(organization) }),
        keyed,
      ),
    );
  }

  /** The operator can help an organization whose owners cannot sign in; it cannot help itself. */
  private async requireOwnerWith(sql: Sql, org: string, rpId: string): Promise<void> {
    if ((await sql.rows(ownerWith, [org, rpId])).length > 0) return;
    throw new AppError(
      'invalid_state',
      `No active owner has a passkey of ${rpId} yet, so no owner could sign in any more. Add one under "My account" ` +
        'first. Nothing was changed.',
    );
  }

  private shown({ relyingParty }: Organization): Omit<OwnRpId, 'passkeys'> {
    const earlier = relyingParty?.earlier;
    return {
      rpId: relyingParty?.rpId ?? this.ofDeployment,
      ofDeployment: relyingParty?.rpId === undefined,
      ...(earlier && { earlier: earlier.rpId ?? this.ofDeployment }),
    };
  }
}

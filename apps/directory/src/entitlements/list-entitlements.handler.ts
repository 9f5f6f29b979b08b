import { Controller, Inject } from '@nestjs/common';
import {
  listEntitlements,
  type AuditTarget,
  type Entitlement,
  type ReplyOf,
  type RequestContext,
  type RequestOf,
} from '@holdfast/contracts';
import { Database, type Statement } from '@holdfast/data';
import { Handles } from '@holdfast/messaging';
import { CLOCK, type Clock } from '@holdfast/platform';
import { newest } from '../groups/newest.js';
import { OperatorReads } from '../organizations/operator-reads.js';
import { entitlementPage, type PageShape } from './entitlement-pages.js';

interface EntitlementRow {
  user: string;
  app: string;
  path: Entitlement['path'];
  assignment: string | null;
  group: string | null;
  accessRequest: string | null;
  since: Date;
  expiresAt: Date | null;
  at: Date;
  id: string;
}

const flags = [false, true];
const statements = new Map<string, Statement>(
  flags.flatMap((user) =>
    flags.flatMap((app) =>
      flags.map((group): [string, Statement] => {
        const shape = { user, app, group };
        return [keyOf(shape), entitlementPage(shape)];
      }),
    ),
  ),
);

function keyOf({ user, app, group }: PageShape): string {
  return [user, app, group].map(Number).join('');
}

/** GET …/admin/entitlements: who can use which app now, and by which path. */
@Controller()
export class ListEntitlementsHandler {
  constructor(
    private readonly database: Database,
    private readonly reads: OperatorReads,
    @Inject(CLOCK) private readonly clock: Clock,
  ) {}

  @Handles(listEntitlements)
  async handle(
    { user, app, group, limit, after }: RequestOf<typeof listEntitlements>,
    context: RequestContext,
  ): Promise<ReplyOf<typeof listEntitlements>> {
    await this.reads.record(context, 'entitlement.list', operatorTarget(app, group));
    const given = (value: unknown) => value !== undefined;
    const shape = { user: given(user), app: given(app), group: given(group) };
    const { at, id, user: person } = after ?? { ...newest, user: newest.id };
    const values = [context.org, this.clock.now(), limit + 1, at, id, person, ...[user, app, group].filter(given)];
    const rows = await this.database.rows<EntitlementRow>(statements.get(keyOf(shape))!, values);
    const shown = rows.slice(0, limit);
    const last = shown.at(-1);
    return {
      items: shown.map(toEntitlement),
      ...(rows.length > limit && last && { next: { at: last.at.toISOString(), id: last.id, user: last.user } }),
    };
  }
}

/** One target at most, and no person: their id would have to be replaced by a pseudonym. */
function operatorTarget(app: string | undefined, group: string | undefined): AuditTarget[] {
  if (app !== undefined) return [{ type: 'app', id: app }];
  return group === undefined ? [] : [{ type: 'group', id: group }];
}

function toEntitlement(row: EntitlementRow): Entitlement {
  const { user, app, path, assignment, group, accessRequest, since, expiresAt } = row;
  return {
    user,
    app,
    path,
    ...(assignment !== null && { assignment }),
    ...(group !== null && { group }),
    ...(accessRequest !== null && { accessRequest }),
    since: since.toISOString(),
    ...(expiresAt !== null && { expiresAt: expiresAt.toISOString() }),
  };
}

import { Controller } from '@nestjs/common';
import { adminListApps, type ReplyOf, type RequestContext, type RequestOf } from '@holdfast/contracts';
import { Database, statement } from '@holdfast/data';
import { Handles } from '@holdfast/messaging';
import { Apps } from '../apps.js';
import { toManagedApp } from './managed-apps.js';

/** A page of the client IDs of these apps, which `app_newest` has in its order. */
const page = (apps: string) => `
  SELECT a.client_id AS "clientId" FROM ${apps} a
  WHERE a.org = $1 AND a.deleted_at IS NULL
    AND (a.created_at, a.client_id) < (coalesce($2::timestamptz, 'infinity'), coalesce($3::text, ''))
    AND ($4::boolean IS NULL OR a.disabled = $4) AND ($5::text IS NULL OR a.kind = $5)
    AND ($6::text IS NULL OR a.audience = $6)
  ORDER BY a.created_at DESC, a.client_id DESC LIMIT $7`;

export const newest = statement('admin_apps', page('app'));
// Comparisons of text_pattern_ops, since LIKE with a parameter uses no index. No name has the last code point. Only
// `app_name_prefix` can compare these pairs; OFFSET 0 makes PostgreSQL do that first.
export const byName = statement(
  'admin_apps_by_name',
  page(`(
    SELECT * FROM app WHERE deleted_at IS NULL AND (org, lower(name)) ~>=~ ($1, lower($8::text))
      AND (org, lower(name)) ~<~ ($1, lower($8::text) || chr(1114111)) OFFSET 0)`),
);

/** GET …/admin/apps. An organization has few apps (APPS_PER_ORGANIZATION), so filters need no index of their own. */
@Controller()
export class AdminListAppsHandler {
  constructor(
    private readonly database: Database,
    private readonly apps: Apps,
  ) {}

  @Handles(adminListApps)
  async handle(
    { status, kind, audience, namePrefix, limit, after }: RequestOf<typeof adminListApps>,
    { org }: RequestContext,
  ): Promise<ReplyOf<typeof adminListApps>> {
    const disabled = status === undefined ? undefined : status === 'disabled';
    const values = [org, after?.createdAt, after?.clientId, disabled, kind, audience, limit + 1];
    const rows = await (namePrefix === undefined
      ? this.database.rows<{ clientId: string }>(newest, values)
      : this.database.rows<{ clientId: string }>(byName, [...values, namePrefix]));
    const items = (await this.apps.findAll(rows.slice(0, limit).map(({ clientId }) => clientId))).map(toManagedApp);
    const last = items.at(-1);
    return {
      items,
      ...(rows.length > limit && last && { next: { createdAt: last.createdAt, clientId: last.clientId } }),
    };
  }
}

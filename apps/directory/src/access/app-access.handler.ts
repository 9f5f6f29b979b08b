import { Controller } from '@nestjs/common';
import { appAccess, type ReplyOf, type RequestOf } from '@holdfast/contracts';
import { Database, statement } from '@holdfast/data';
import { Handles } from '@holdfast/messaging';
import { entries, toEntry, type EntryRow } from './access-entries.js';

const select = statement(
  'app_access',
  `WITH ids AS (
     SELECT (SELECT coalesce(max(seq), 0) FROM access_change) AS seq, kind, id
     FROM (VALUES ('app', $1), ('organization', $2), ('person', $3::text)) AS requested (kind, id)
     WHERE id IS NOT NULL)
   ${entries}`,
);

/**
 * Serves the introspection fallback. It returns an entry for each of them, because the caller's revocation feed is
 * stale.
 */
@Controller()
export class AppAccessHandler {
  constructor(private readonly database: Database) {}

  @Handles(appAccess)
  async handle({ clientId, org, person }: RequestOf<typeof appAccess>): Promise<ReplyOf<typeof appAccess>> {
    return { entries: (await this.database.rows<EntryRow>(select, [clientId, org, person ?? null])).map(toEntry) };
  }
}

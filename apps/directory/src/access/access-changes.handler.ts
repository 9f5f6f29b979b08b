import { Controller } from '@nestjs/common';
import { accessChanges, type ReplyOf, type RequestOf } from '@holdfast/contracts';
import { Database, statement } from '@holdfast/data';
import { Handles } from '@holdfast/messaging';
import { entries, retention, toEntry, type EntryRow } from './access-entries.js';

const select = statement(
  'access_changes',
  `WITH ids AS (
     SELECT max(seq) AS seq, kind, id FROM access_change
     WHERE seq > $1 AND ($1 > 0 OR at > now() - ${retention}) AND ($2 OR kind <> 'person') GROUP BY kind, id)
   SELECT (SELECT coalesce(max(seq), 0) FROM access_change) AS newest, e.*
   FROM (SELECT 1) one LEFT JOIN (${entries}) e ON true ORDER BY e.seq`,
);

@Controller()
export class AccessChangesHandler {
  constructor(private readonly database: Database) {}

  @Handles(accessChanges)
  async handle({ since, people = false }: RequestOf<typeof accessChanges>): Promise<ReplyOf<typeof accessChanges>> {
    const rows = await this.database.rows<Partial<EntryRow> & { newest: number }>(select, [since, people]);
    return {
      seq: rows[0]!.newest,
      entries: rows.filter((row): row is EntryRow & { newest: number } => row.id != null).map(toEntry),
    };
  }
}

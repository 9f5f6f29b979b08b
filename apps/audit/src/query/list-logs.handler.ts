import { Controller } from '@nestjs/common';
import { listAuditLogs, type ReplyOf, type RequestOf } from '@holdfast/contracts';
import { ReadDatabase, statement } from '@holdfast/data';
import { Handles } from '@holdfast/messaging';

const select = statement(
  'log_ends',
  `SELECT org, seq FROM head WHERE org > $1 AND seq > 0 AND ($2::text[] IS NULL OR org = ANY ($2))
   ORDER BY org LIMIT $3`,
);

/** The ends of logs, for signals, which sends them on. */
@Controller()
export class ListLogsHandler {
  constructor(private readonly database: ReadDatabase) {}

  @Handles(listAuditLogs)
  async handle({ orgs, after, limit }: RequestOf<typeof listAuditLogs>): Promise<ReplyOf<typeof listAuditLogs>> {
    const rows = await this.database.rows<{ org: string; seq: number }>(select, [after ?? '', orgs ?? null, limit]);
    return { logs: rows.map(({ org, seq }) => [org, seq]) };
  }
}

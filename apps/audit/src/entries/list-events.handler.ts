import { listAuditEvents, type AuditFilter, type CallContext, type ReplyOf, type RequestOf } from '@holdfast/contracts';
import { Handles } from '@holdfast/bus';
import { Database } from '@holdfast/data';
import { Controller } from '@nestjs/common';
import { listStatement } from './list-statement.js';
import { Names } from './names.js';
import { Opened, type StoredEntry } from './opened.js';
import { storableId } from './storable.js';

/** The organization's log, newest first. */
@Controller()
export class ListEventsHandler {
  constructor(
    private readonly database: Database,
    private readonly names: Names,
    private readonly opened: Opened,
  ) {}

  @Handles(listAuditEvents)
  async handle({ filter, limit, before }: RequestOf<typeof listAuditEvents>, { org }: CallContext): Promise<ReplyOf<typeof listAuditEvents>> {
    const query = listStatement({ org, filter: await this.pseudonymised(org, filter), limit: limit + 1, ...(before !== undefined && { before }) });
    const rows = await this.database.rows<StoredEntry>(query.statement, query.values);
    const page = rows.slice(0, limit);
    return { items: await this.opened.events(org, page), ...(rows.length > limit && { next: page.at(-1)!.seq }) };
  }

  /** A customer's id stands in the log as a pseudonym; the id of an app, or a pseudonym itself, as it is. */
  private async pseudonymised(org: string, filter: AuditFilter): Promise<AuditFilter> {
    const [actor, target] = [filter.actor, filter.target].map((id) => (id === undefined ? id : storableId(id)));
    const found = await this.names.find(org, [actor, target].filter((id) => id !== undefined));
    return {
      ...filter,
      ...(actor !== undefined && { actor: found.get(actor) ?? actor }),
      ...(target !== undefined && { target: found.get(target) ?? target }),
    };
  }
}

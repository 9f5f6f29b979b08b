import { Controller } from '@nestjs/common';
import {
  listAuditEvents,
  type AuditEvent,
  type AuditFilter,
  type ReplyOf,
  type RequestContext,
  type RequestOf,
} from '@holdfast/contracts';
import { Database } from '@holdfast/data';
import { Handles } from '@holdfast/messaging';
import { storableId } from '../append/storable.js';
import { Names } from '../privacy/pseudonym-mappings.js';
import { Opened, type StoredEntry } from './entry-decryption.js';
import { listStatement } from './list-statement.js';

/** Bytes of an answer, about: a message of the bus may have a million. */
const most = 500_000;

/** The organization's log, newest first. A page ends early when it gets large. */
@Controller()
export class ListEventsHandler {
  constructor(
    private readonly database: Database,
    private readonly names: Names,
    private readonly opened: Opened,
  ) {}

  @Handles(listAuditEvents)
  async handle(
    { filter, limit, before }: RequestOf<typeof listAuditEvents>,
    { org }: RequestContext,
  ): Promise<ReplyOf<typeof listAuditEvents>> {
    const query = listStatement({
      org,
      filter: await this.pseudonymised(org, filter),
      limit: limit + 1,
      ...(before !== undefined && { before }),
    });
    const rows = await this.database.rows<StoredEntry>(query.statement, query.values);
    const items = whatFits(await this.opened.events(org, rows.slice(0, limit)));
    return { items, ...(rows.length > items.length && { next: items.at(-1)!.seq }) };
  }

  /** A customer's id stands in the log as a pseudonym; the id of an app, or a pseudonym itself, as it is. */
  private async pseudonymised(org: string, filter: AuditFilter): Promise<AuditFilter> {
    const [actor, target] = [filter.actor, filter.target].map((id) => (id === undefined ? id : storableId(id)));
    const found = await this.names.find(
      org,
      [actor, target].filter((id) => id !== undefined),
    );
    return {
      ...filter,
      ...(actor !== undefined && { actor: found.get(actor) ?? actor }),
      ...(target !== undefined && { target: found.get(target) ?? target }),
    };
  }
}

/** One at least: none is larger than a message, in one of which it came. */
function whatFits(events: AuditEvent[]): AuditEvent[] {
  let bytes = 0;
  const end = events.findIndex((event, i) => (bytes += Buffer.byteLength(JSON.stringify(event))) > most && i > 0);
  return end < 0 ? events : events.slice(0, end);
}

import { Controller } from '@nestjs/common';
import {
  listAuditEvents,
  type AuditEvent,
  type AuditFilter,
  type ReplyOf,
  type RequestContext,
  type RequestOf,
} from '@holdfast/contracts';
import { ReadDatabase } from '@holdfast/data';
import { Handles } from '@holdfast/messaging';
import { storableId } from '../append/storable.js';
import { PseudonymMappings } from '../privacy/pseudonyms.js';
import { EntryDecryption, type StoredEntry } from './entry-decryption.js';
import { listStatement } from './list-statement.js';

/** Half of the maximum size of a bus message, since the size is estimated. */
const maxReplyBytes = 500_000;

/** Lists the organization's log, newest first. A page ends early when it gets large. */
@Controller()
export class ListEventsHandler {
  constructor(
    private readonly database: ReadDatabase,
    private readonly mappings: PseudonymMappings,
    private readonly decryption: EntryDecryption,
  ) {}

  @Handles(listAuditEvents)
  async handle(
    { filter, limit, before }: RequestOf<typeof listAuditEvents>,
    { org }: RequestContext,
  ): Promise<ReplyOf<typeof listAuditEvents>> {
    const query = listStatement({
      org,
      filter: await this.pseudonymized(org, filter),
      limit: limit + 1,
      ...(before !== undefined && { before }),
    });
    const rows = await this.database.rows<StoredEntry>(query.statement, query.values);
    const items = firstThatFit(await this.decryption.eventsOf(org, rows.slice(0, limit)));
    return { items, ...(rows.length > items.length && { next: items.at(-1)!.seq }) };
  }

  /** Replaces customer ids by their pseudonyms. Ids of apps, and pseudonyms themselves, stay as they are. */
  private async pseudonymized(org: string, filter: AuditFilter): Promise<AuditFilter> {
    const [actor, target] = [filter.actor, filter.target].map((id) => (id === undefined ? id : storableId(id)));
    const found = await this.mappings.find(
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

/** At least one: each event came in one message, so each fits into one. */
function firstThatFit(events: AuditEvent[]): AuditEvent[] {
  let bytes = 0;
  const end = events.findIndex(
    (event, i) => (bytes += Buffer.byteLength(JSON.stringify(event))) > maxReplyBytes && i > 0,
  );
  return end < 0 ? events : events.slice(0, end);
}

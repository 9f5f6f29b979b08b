import { Controller } from '@nestjs/common';
import {
  followAuditEvents,
  type AuditEvent,
  type ReplyOf,
  type RequestContext,
  type RequestOf,
} from '@holdfast/contracts';
import { ReadDatabase, statement } from '@holdfast/data';
import { Handles } from '@holdfast/messaging';
import { eventOf } from '../append/leaf.js';
import { OperatorRecords } from '../intake/operator-records.js';
import { PseudonymMappings } from '../privacy/pseudonyms.js';
import { EntryDecryption, type StoredEntry } from './entry-decryption.js';
import { pseudonymized } from './filter-pseudonyms.js';
import { firstThatFit } from './first-that-fit.js';
import { pageAfter } from './page-after.js';

const selectEnd = statement('log_end', 'SELECT seq FROM head WHERE org = $1');

/** Reads on in a log, oldest first. Each entry that matches is returned once, since a log only grows at its end. */
@Controller()
export class FollowEventsHandler {
  constructor(
    private readonly database: ReadDatabase,
    private readonly mappings: PseudonymMappings,
    private readonly decryption: EntryDecryption,
    private readonly operator: OperatorRecords,
  ) {}

  @Handles(followAuditEvents)
  async handle(
    { filter, limit, after, named }: RequestOf<typeof followAuditEvents>,
    context: RequestContext,
  ): Promise<ReplyOf<typeof followAuditEvents>> {
    const { org } = context;
    await this.operator.record(context, 'audit.follow');
    if (after === undefined) {
      const [end] = await this.database.rows<{ seq: number }>(selectEnd, [org]);
      return { items: [], after: end?.seq ?? 0, hasMore: false };
    }
    const stored = await pseudonymized(this.mappings, org, filter);
    const { entries, found, end } = await pageAfter(this.database, org, { filter: stored, after, limit });
    const items = firstThatFit(await this.eventsOf(org, entries, named));
    const hasMore = items.length < found;
    return { items, after: hasMore ? items.at(-1)!.seq : end, hasMore };
  }

  private async eventsOf(org: string, entries: readonly StoredEntry[], named: boolean): Promise<AuditEvent[]> {
    if (named) return this.decryption.eventsOf(org, entries);
    return entries.map(({ seq, leaf }) => eventOf(seq, leaf, new Map()));
  }
}

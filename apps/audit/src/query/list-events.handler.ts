import { Controller } from '@nestjs/common';
import {
  listAuditEvents,
  listSignInAttempts,
  maxSignInAttempts,
  type AuditEvent,
  type ReplyOf,
  type RequestContext,
  type RequestOf,
  type SignInAttempt,
} from '@holdfast/contracts';
import { ReadDatabase } from '@holdfast/data';
import { Handles } from '@holdfast/messaging';
import { PseudonymMappings } from '../privacy/pseudonyms.js';
import { EntryDecryption } from './entry-decryption.js';
import { pseudonymized } from './filter-pseudonyms.js';
import { firstThatFit } from './first-that-fit.js';
import { listStatement, type ListedEntry } from './list-statement.js';

/** Lists the organization's log, newest first. A page ends early when it gets large. */
@Controller()
export class ListEventsHandler {
  constructor(
    private readonly database: ReadDatabase,
    private readonly mappings: PseudonymMappings,
    private readonly decryption: EntryDecryption,
  ) {}

  @Handles(listAuditEvents)
  handle(
    request: RequestOf<typeof listAuditEvents>,
    { org }: RequestContext,
  ): Promise<ReplyOf<typeof listAuditEvents>> {
    return this.page(org, request);
  }

  @Handles(listSignInAttempts)
  async attempts(
    { subject }: RequestOf<typeof listSignInAttempts>,
    { org }: RequestContext,
  ): Promise<ReplyOf<typeof listSignInAttempts>> {
    const filter = { action: 'customer.sign_in', actor: subject } as const;
    const { items } = await this.page(org, { filter, limit: maxSignInAttempts });
    return { items: items.map(attemptOf) };
  }

  private async page(
    org: string,
    { filter, limit, before }: RequestOf<typeof listAuditEvents>,
  ): Promise<ReplyOf<typeof listAuditEvents>> {
    const query = listStatement({
      org,
      filter: await pseudonymized(this.mappings, org, filter),
      limit: limit + 1,
      ...(before !== undefined && { before }),
    });
    const rows = await this.database.rows<ListedEntry>(query.statement, query.values);
    const items = firstThatFit(await this.decryption.eventsOf(org, rows.slice(0, limit)));
    const found = rows[0]?.read ?? 0;
    return { items, ...(found > items.length && { next: items.at(-1)!.seq }) };
  }
}

function attemptOf({ occurredAt, targets, outcome: { result, code } }: AuditEvent): SignInAttempt {
  const app = targets.find(({ type }) => type === 'app')?.id;
  return { occurredAt, result, ...(app !== undefined && { app }), ...(code !== undefined && { code }) };
}

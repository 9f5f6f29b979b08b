import { Controller } from '@nestjs/common';
import { getAuditEvent, type ReplyOf, type RequestContext, type RequestOf } from '@holdfast/contracts';
import { ReadDatabase, statement } from '@holdfast/data';
import { Handles } from '@holdfast/messaging';
import { AppError } from '@holdfast/platform';
import { EntryDecryption, storedEntryColumns, type StoredEntry } from './entry-decryption.js';

const selectById = statement(
  'entry_by_id',
  `SELECT ${storedEntryColumns} FROM leaf l JOIN entry e USING (org, seq, class, month) WHERE l.org = $1 AND l.id = $2`,
);

@Controller()
export class GetEventHandler {
  constructor(
    private readonly database: ReadDatabase,
    private readonly decryption: EntryDecryption,
  ) {}

  @Handles(getAuditEvent)
  async handle(
    { id }: RequestOf<typeof getAuditEvent>,
    { org }: RequestContext,
  ): Promise<ReplyOf<typeof getAuditEvent>> {
    const entries = await this.database.rows<StoredEntry>(selectById, [org, id]);
    const [event] = await this.decryption.eventsOf(org, entries);
    if (!event) throw new AppError('unknown_event');
    return event;
  }
}

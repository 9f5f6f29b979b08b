import { Controller } from '@nestjs/common';
import { getAuditEvent, type ReplyOf, type RequestContext, type RequestOf } from '@holdfast/contracts';
import { Database, statement } from '@holdfast/data';
import { Handles } from '@holdfast/messaging';
import { AppError } from '@holdfast/platform';
import { Opened, type StoredEntry } from './entry-decryption.js';

const byId = statement(
  'entry_by_id',
  'SELECT e.seq, e.leaf, e.person, e.personal FROM place p JOIN entry e USING (org, seq, class, month) WHERE p.org = $1 AND p.id = $2',
);

@Controller()
export class GetEventHandler {
  constructor(
    private readonly database: Database,
    private readonly opened: Opened,
  ) {}

  @Handles(getAuditEvent)
  async handle(
    { id }: RequestOf<typeof getAuditEvent>,
    { org }: RequestContext,
  ): Promise<ReplyOf<typeof getAuditEvent>> {
    const [event] = await this.opened.events(org, await this.database.rows<StoredEntry>(byId, [org, id]));
    if (!event) throw new AppError('unknown_event');
    return event;
  }
}

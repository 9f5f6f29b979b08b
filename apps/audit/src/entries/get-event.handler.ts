import { getAuditEvent, type CallContext, type ReplyOf, type RequestOf } from '@holdfast/contracts';
import { Handles } from '@holdfast/bus';
import { Database, statement } from '@holdfast/data';
import { AppError } from '@holdfast/kit';
import { Controller } from '@nestjs/common';
import { eventOf, idsIn } from './leaf.js';
import { Names } from './names.js';

const byId = statement('entry_by_id', 'SELECT seq, leaf FROM entry WHERE org = $1 AND id = $2');

@Controller()
export class GetEventHandler {
  constructor(
    private readonly database: Database,
    private readonly names: Names,
  ) {}

  @Handles(getAuditEvent)
  async handle({ id }: RequestOf<typeof getAuditEvent>, { org }: CallContext): Promise<ReplyOf<typeof getAuditEvent>> {
    const [row] = await this.database.rows<{ seq: number; leaf: Buffer }>(byId, [org, id]);
    if (!row) throw new AppError('unknown_event');
    return eventOf(row.seq, row.leaf, await this.names.open(org, idsIn(row.leaf)));
  }
}

import { Inject, Injectable, Logger } from '@nestjs/common';
import {
  allOrganizations,
  makerOf,
  maxAuditReaders,
  type Action,
  type AuditReader,
  type RequestContext,
} from '@holdfast/contracts';
import { Database, statement, type Sql } from '@holdfast/data';
import { AppError, CLOCK, type Clock } from '@holdfast/platform';
import { OperatorRecords } from '../intake/operator-records.js';
import { EntryStream, type StreamState } from './entry-stream.js';
import { messageAfter, onlyFromTheBeginning, type Published } from './held-place.js';
import { PublishedLogs } from './published-logs.js';
import { readerColumns, ReaderConsumers, type ReaderRow } from './reader-consumers.js';

const select = statement(
  'readers_select',
  `SELECT ${readerColumns} FROM audit_reader WHERE org = $1 ORDER BY created_at, id`,
);
const isRead = statement(
  'readers_of_log',
  `SELECT FROM audit_reader WHERE org = $1 OR org = '${allOrganizations}' LIMIT 1`,
);
const published = statement(
  'readers_published',
  `SELECT coalesce(p.seq, h.seq) AS seq, coalesce(p.begin_seq, h.seq) AS begin, p.org IS NOT NULL AS known,
     h.seq AS last
   FROM head h LEFT JOIN published_log p USING (org) WHERE h.org = $1`,
);
const insert = statement(
  'readers_insert',
  `INSERT INTO audit_reader (id, org, public_key, created_at, stream, start_seq, maker_type, maker_id)
   VALUES ($1, $2, $3, $4, $5, $6, $7, $8)
   ON CONFLICT (id) DO NOTHING`,
);
const move = statement(
  'readers_move',
  'UPDATE audit_reader SET stream = $3, start_seq = $4 WHERE org = $1 AND id = $2 RETURNING id',
);
const remove = statement('readers_delete', 'DELETE FROM audit_reader WHERE org = $1 AND id = $2 RETURNING id');

/** The readers of the stream of entries. Each change is recorded in the organization's log before it is made. */
@Injectable()
export class Readers {
  private readonly logger = new Logger('readers');

  constructor(
    private readonly database: Database,
    private readonly entries: EntryStream,
    private readonly logs: PublishedLogs,
    private readonly consumers: ReaderConsumers,
    private readonly operator: OperatorRecords,
    @Inject(CLOCK) private readonly clock: Clock,
  ) {}

  /** @throws unknown_organization, limit_reached, invalid_state */
  async create(
    { id, publicKey, after }: { id: string; publicKey: string; after?: number | undefined },
    context: RequestContext,
  ): Promise<AuditReader> {
    const owner = ownerOf(context);
    const existing = await this.rows(owner);
    if (existing.length >= maxAuditReaders)
      throw new AppError('limit_reached', `There are ${existing.length} readers already. Delete one that is not used.`);
    const stream = await this.entries.state();
    const start = await this.startOf(owner, after, stream);
    await this.record(context, 'audit_reader.create', id);
    const maker = makerOf(context.actor);
    const place = { stream: stream.created, startSeq: start };
    const by = { makerType: maker.type, makerId: maker.id ?? null };
    const row = { id, org: owner, publicKey, createdAt: this.clock.now(), ...place, ...by };
    await this.database.transaction(async (sql) => {
      if (!(await isReadBy(sql, owner))) await this.logs.begin(sql, owner, after, stream);
      await sql.last(insert, [
        ...[id, owner, publicKey, row.createdAt, row.stream, row.startSeq],
        ...[row.makerType, row.makerId],
      ]);
    });
    await this.consumers.add(row, stream);
    return this.shown(row);
  }

  /** @throws unknown_organization */
  async list(context: RequestContext): Promise<AuditReader[]> {
    await this.record(context, 'audit_reader.list');
    return Promise.all((await this.rows(ownerOf(context))).map((row) => this.shown(row)));
  }

  /** @throws unknown_reader, unknown_organization, invalid_state */
  async rewind(id: string, after: number, context: RequestContext): Promise<AuditReader> {
    const owner = ownerOf(context);
    const row = (await this.rows(owner)).find((one) => one.id === id);
    if (!row) throw new AppError('unknown_reader');
    const stream = await this.entries.state();
    const start = owner === allOrganizations ? beginningOf(after, stream) : await this.placeAfter(owner, after, stream);
    await this.record(context, 'audit_reader.rewind', id);
    await this.database.rows(move, [owner, id, stream.created, start]);
    await this.entries.deleteConsumer(id);
    const moved = { ...row, stream: stream.created, startSeq: start };
    await this.consumers.add(moved, stream);
    return this.shown(moved);
  }

  /** Without its consumer a reader has nothing to read from, even while nats.conf still has its key. */
  async delete(id: string, context: RequestContext): Promise<void> {
    const owner = ownerOf(context);
    const known = (await this.rows(owner)).some((row) => row.id === id);
    if (!known) throw new AppError('unknown_reader');
    await this.record(context, 'audit_reader.delete', id);
    // The consumer first: if the row were gone and the consumer not, a repeated command would not find the reader.
    await this.entries.deleteConsumer(id);
    await this.database.rows(remove, [owner, id]);
    // Another replica may have created it again in between.
    await this.entries.deleteConsumer(id);
  }

  private async startOf(owner: string, after: number | undefined, stream: StreamState): Promise<number> {
    if (owner === allOrganizations) return after === undefined ? stream.last + 1 : beginningOf(after, stream);
    const log = await this.publishedOf(owner, after);
    // A log that was never published is published after `after`, so that the stream will have what comes then.
    return after === undefined || !log.known ? stream.last + 1 : messageAfter(this.entries, owner, after, log, stream);
  }

  private async placeAfter(org: string, after: number, stream: StreamState): Promise<number> {
    return messageAfter(this.entries, org, after, await this.publishedOf(org, after), stream);
  }

  /** @throws unknown_organization, invalid_state for a place that the log has not reached */
  private async publishedOf(org: string, after = 0): Promise<Published & { known: boolean }> {
    const [log] = await this.database.rows<Published & { known: boolean; last: number }>(published, [org]);
    if (!log) throw new AppError('unknown_organization', `There is no organization "${org}".`);
    if (after > log.last)
      throw new AppError(
        'invalid_state',
        `The log of ${org} ends at ${log.last}, so nothing can begin after ${after}.`,
      );
    return log;
  }

  private rows(owner: string): Promise<ReaderRow[]> {
    return this.database.rows<ReaderRow>(select, [owner]);
  }

  /** What is done to readers of all organizations is in this service's log: no organization's log is theirs. */
  private async record(context: RequestContext, action: Action, id?: string): Promise<void> {
    const targets = id === undefined ? [] : [{ type: 'audit_reader' as const, id }];
    if (context.org !== '') return this.operator.record(context, action, targets);
    this.logger.log(`The operator did ${action}${id === undefined ? '' : ` with ${id}`}, of all organizations`);
  }

  private async shown({ id, publicKey, createdAt, makerType, makerId }: ReaderRow): Promise<AuditReader> {
    const consumer = await this.entries.consumer(id);
    const lastReadAt = consumer?.ack_floor.last_active;
    return {
      id,
      publicKey,
      createdAt: createdAt.toISOString(),
      ...(makerType !== null && { maker: { type: makerType, ...(makerId !== null && { id: makerId }) } }),
      ...(consumer && { pending: consumer.num_pending + consumer.num_ack_pending }),
      // JetStream sends a time, whatever the type of the client says.
      ...(lastReadAt !== undefined && { lastReadAt: new Date(String(lastReadAt)).toISOString() }),
    };
  }
}

async function isReadBy(sql: Sql, owner: string): Promise<boolean> {
  return (await sql.rows(isRead, [owner])).length > 0;
}

function ownerOf({ org }: RequestContext): string {
  return org === '' ? allOrganizations : org;
}

/** @throws invalid_state */
function beginningOf(after: number, { first }: StreamState): number {
  if (after !== 0) throw onlyFromTheBeginning();
  return Math.max(first, 1);
}

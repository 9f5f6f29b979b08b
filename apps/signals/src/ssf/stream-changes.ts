import { Inject, Injectable } from '@nestjs/common';
import { RecordOutbox } from '@holdfast/audit-client';
import type { Action, AuditRecord, RequestContext } from '@holdfast/contracts';
import { Database, type Sql } from '@holdfast/data';
import type { KeyedRequest } from '@holdfast/outbox';
import { AppError, auditRecord, CLOCK, customerKey, newId, type Clock } from '@holdfast/platform';
import { lockFeed } from '../feed/feed-lock.js';
import { OperatorRequests } from '../webhooks/operator-requests.js';
import { PushQueue } from './delivery/push-queue.js';
import * as statements from './stream-statements.js';
import { streamTarget, unknownStream, type StreamRow } from './stream.js';

/** Which streams a request reaches: those of one receiver, or, for administrators, all. */
export interface Reach {
  receiver?: string | undefined;
  id?: string | undefined;
}

/** What the audit record of a change says. */
export interface StreamAct {
  action: Action;
  /** The stream. */
  id?: string;
  changes?: AuditRecord['changes'];
}

/** The response that a repeat of the request gets. */
export interface Keyed<Reply> {
  keyed: KeyedRequest;
  reply: (reply: Reply, sql: Sql) => object | Promise<object>;
}

/** What the changes of streams have in common. */
@Injectable()
export class StreamChanges {
  constructor(
    private readonly database: Database,
    private readonly records: RecordOutbox,
    private readonly queue: PushQueue,
    private readonly operator: OperatorRequests,
    @Inject(CLOCK) private readonly clock: Clock,
  ) {}

  /** Commits a change with its record and the response under its Idempotency-Key. `changed: false` writes no record. */
  async commit<Reply extends object>(
    context: RequestContext,
    change: StreamAct,
    keyed: Keyed<Reply> | undefined,
    work: (sql: Sql) => Promise<Reply>,
  ): Promise<Reply> {
    const { org } = context;
    await this.operator.check(context);
    const committed = await this.database.transaction(async (sql) => {
      // First, as appending does: everything that locks a stream locks the organization's feed before.
      await sql.rows(lockFeed, [org]);
      const reply = await work(sql);
      const { action, id, changes } = change;
      const record = auditRecord(context, this.clock.now(), {
        action,
        targets: id === undefined ? [] : [streamTarget(id)],
        outcome: { result: 'success' },
        ...(changes && Object.keys(changes).length > 0 && { changes }),
      });
      const isRecorded = (reply as { changed?: boolean }).changed !== false;
      if (isRecorded) await this.records.add(sql, org, record);
      await keyed?.keyed.store(sql, await keyed.reply(reply, sql), { event: record.id, version: 0 });
      return { reply, record: isRecorded ? record : undefined };
    });
    if (committed.record) await this.records.append(org, committed.record);
    this.queue.wake([org]);
    return committed.reply;
  }

  /** @throws unknown_stream, precondition_failed */
  async locked(
    sql: Sql,
    org: string,
    { receiver, id }: Reach & { id: string },
    ifVersions?: number[],
  ): Promise<StreamRow> {
    const [row] = await sql.rows<StreamRow>(statements.lock, [org, receiver ?? null, id]);
    if (!row) throw unknownStream();
    if (ifVersions && !ifVersions.includes(row.version)) throw new AppError('precondition_failed');
    return row;
  }

  /** Stores an event of the transmitter about the stream itself. The feed is locked. */
  async addOwn(
    sql: Sql,
    row: Pick<StreamRow, 'id' | 'org'>,
    uri: string,
    members: Record<string, unknown>,
  ): Promise<void> {
    const { id, org } = row;
    const jti = newId();
    const claims = { txn: jti, sub_id: { format: 'opaque', id }, events: { [uri]: members } };
    const values = [id, org, this.clock.now(), jti, uri, customerKey(org, id), JSON.stringify(claims)];
    await sql.rows(statements.addOwn, values);
  }
}

export function limitReached(what: string): AppError {
  return new AppError('limit_reached', `${what}, which is the maximum. Delete one first.`);
}

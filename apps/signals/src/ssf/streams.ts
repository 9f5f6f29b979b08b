import { Inject, Injectable } from '@nestjs/common';
import { RecordOutbox } from '@holdfast/audit-client';
import {
  makerOf,
  maxStreamsOfOrganization,
  maxStreamsOfReceiver,
  maxStreamSubjects,
  minVerificationIntervalSeconds,
  streamEvents,
  type Action,
  type AuditRecord,
  type RequestContext,
} from '@holdfast/contracts';
import { Database, type Sql } from '@holdfast/data';
import type { KeyedRequest } from '@holdfast/outbox';
import {
  AppError,
  auditRecord,
  CLOCK,
  customerKey,
  newId,
  OutboundError,
  requireCredentialsForOrigin,
  type Clock,
} from '@holdfast/platform';
import { lockFeed } from '../feed/feed-lock.js';
import { makerColumns } from '../makers/maker-columns.js';
import { Outbounds } from '../sending/outbounds.js';
import { OperatorRequests } from '../webhooks/operator-requests.js';
import { Authorizations } from './authorizations.js';
import { PushQueue } from './delivery/push-queue.js';
import { Receivers } from './receivers.js';
import * as statements from './stream-statements.js';
import {
  streamTarget,
  toStatus,
  unknownStream,
  type PausedBecause,
  type ShownStream,
  type StreamRow,
} from './stream.js';

/** Which streams a request reaches: those of one receiver, or, for administrators, all. */
export interface Reach {
  receiver?: string | undefined;
  id?: string | undefined;
}

/** What a new stream is given. */
export interface GivenStream {
  receiver: string;
  method: 'push' | 'poll';
  endpointUrl?: string | undefined;
  authorization?: string | undefined;
  events?: string[] | undefined;
  description?: string | undefined;
}

/** What changes: null removes, undefined stays. */
export interface StreamChange {
  method?: 'push' | 'poll' | undefined;
  endpointUrl?: string | undefined;
  authorization?: string | null | undefined;
  events?: string[] | null | undefined;
  description?: string | null | undefined;
}

/** A new status, and who decides it. */
export interface StatusChange {
  status: 'enabled' | 'paused' | 'disabled';
  reason?: string | undefined;
  by: Extract<PausedBecause, 'receiver' | 'administrator'>;
}

interface Change {
  action: Action;
  id?: string;
  changes?: AuditRecord['changes'];
}

/** The streams of an organization. Each change commits with its audit record. */
@Injectable()
export class Streams {
  constructor(
    private readonly database: Database,
    private readonly records: RecordOutbox,
    private readonly receivers: Receivers,
    private readonly authorizations: Authorizations,
    private readonly outbounds: Outbounds,
    private readonly queue: PushQueue,
    private readonly operator: OperatorRequests,
    @Inject(CLOCK) private readonly clock: Clock,
  ) {}

  /** With what waits, for administrators. */
  shown(org: string, { receiver, id }: Reach, sql: Sql = this.database): Promise<ShownStream[]> {
    return sql.rows<ShownStream>(statements.select, [org, receiver ?? null, id ?? null]);
  }

  /** Of a receiver: each request that names a stream counts as activity (SSF 1.0 §8.1.1). */
  async found(org: string, { receiver, id }: Reach): Promise<StreamRow[]> {
    const rows = await this.database.rows<StreamRow>(statements.find, [org, receiver ?? null, id ?? null]);
    if (id === undefined) return rows;
    if (rows.length === 0) throw unknownStream();
    await this.database.rows(statements.active, [id, this.clock.now()]);
    return rows;
  }

  /** @throws invalid_request, limit_reached, unknown_app */
  async create(
    given: GivenStream,
    context: RequestContext,
    keyed?: Keyed<{ row: StreamRow }>,
  ): Promise<{ row: StreamRow }> {
    const { org } = context;
    const { receiver, method, endpointUrl, authorization, events, description } = given;
    if (endpointUrl !== undefined) this.requireCallable(endpointUrl);
    const audience = await this.receivers.audienceOf(org, receiver);
    const id = newId();
    const changes = changesOf({}, { receiver, method, endpointUrl, events, description });
    return this.change(context, { action: 'ssf_stream.create', id, changes }, keyed, async (sql) => {
      const [count] = await sql.rows<{ all: number; own: number }>(statements.countStreams, [org, receiver]);
      if (count!.own >= maxStreamsOfReceiver) throw limitReached(`The receiver has ${maxStreamsOfReceiver} streams`);
      if (count!.all >= maxStreamsOfOrganization)
        throw limitReached(`The organization has ${maxStreamsOfOrganization} streams`);
      await sql.rows(statements.subscribe, [org]);
      const values = statements.insert.values({
        ...{ id, org, receiver, audience, method, description, events_requested: events },
        endpoint_url: endpointUrl,
        authorization_header: authorization === undefined ? null : this.authorizations.seal(id, authorization),
        created_at: this.clock.now(),
        ...makerColumns(makerOf(context.actor)),
      });
      await sql.rows(statements.insert, values);
      return { row: await this.locked(sql, org, { id }) };
    });
  }

  /** @throws unknown_stream, invalid_request, precondition_failed */
  update(
    reach: Reach & { id: string },
    given: StreamChange,
    ifVersions: number[] | undefined,
    context: RequestContext,
    keyed?: Keyed<{ row: StreamRow; changed: boolean }>,
  ): Promise<{ row: StreamRow; changed: boolean }> {
    const change: Change = { action: 'ssf_stream.update', id: reach.id };
    return this.change(context, change, keyed, async (sql) => {
      const before = await this.locked(sql, context.org, reach, ifVersions);
      const after = this.changed(before, given);
      change.changes = {
        ...changesOf(comparable(before), comparable(after)),
        ...(given.authorization !== undefined && {
          authorization: { to: given.authorization === null ? 'removed' : 'replaced' },
        }),
      };
      if (Object.keys(change.changes).length === 0) return { row: before, changed: false };
      if (after.events_requested)
        await sql.rows(statements.discardOthers, [before.id, [...after.events_requested, ...statements.ownUris]]);
      return { row: await this.stored(sql, { ...after, ...makerColumns(makerOf(context.actor)) }), changed: true };
    });
  }

  /** @throws unknown_stream, stream_paused */
  setStatus(
    reach: Reach & { id: string },
    { status, reason, by }: StatusChange,
    context: RequestContext,
    keyed?: Keyed<{ row: StreamRow; changed: boolean }>,
  ): Promise<{ row: StreamRow; changed: boolean }> {
    const isEnabled = status === 'enabled';
    const change: Change = { action: isEnabled ? 'ssf_stream.resume' : 'ssf_stream.pause', id: reach.id };
    return this.change(context, change, keyed, async (sql) => {
      const before = await this.locked(sql, context.org, reach);
      if (by === 'receiver' && before.paused_because === 'administrator') throw new AppError('stream_paused');
      const now = toStatus(before);
      const isWaiting = before.retry_at !== null && isEnabled;
      if (now.status === status && now.reason === reason && !isWaiting) return { row: before, changed: false };
      change.changes = {
        status: { from: now.status, to: status },
        ...(reason !== undefined && { reason: { to: reason } }),
      };
      const after = {
        ...before,
        paused: status === 'paused',
        disabled: status === 'disabled',
        paused_because: isEnabled ? null : by,
        status_reason: reason ?? null,
        ...(isEnabled && makerColumns(makerOf(context.actor))),
      };
      const row = await this.stored(sql, after);
      if (status === 'disabled') await sql.rows(statements.discard, [before.id]);
      // What the receiver has decided itself it knows (SSF 1.0 §8.1.5).
      if (by === 'administrator' && now.status !== status)
        await this.addOwn(sql, row, streamEvents.updated, { status, ...(reason !== undefined && { reason }) });
      return { row, changed: true };
    });
  }

  /** @throws unknown_stream, precondition_failed */
  delete(
    reach: Reach & { id: string },
    ifVersions: number[] | undefined,
    context: RequestContext,
    keyed?: KeyedRequest,
  ): Promise<Record<string, never>> {
    const whole: Keyed<Record<string, never>> | undefined = keyed && { keyed, reply: () => ({}) };
    return this.change(context, { action: 'ssf_stream.delete', id: reach.id }, whole, async (sql) => {
      await this.locked(sql, context.org, reach, ifVersions);
      await sql.rows(statements.remove, [reach.id]);
      await sql.rows(statements.unsubscribe, [context.org]);
      return {};
    });
  }

  /** @throws unknown_stream, limit_reached */
  changeSubject(
    reach: Reach & { id: string },
    subject: string,
    added: boolean,
    context: RequestContext,
    keyed?: Keyed<{ changed: boolean }>,
  ): Promise<{ changed: boolean }> {
    const change: Change = { action: 'ssf_stream.subject', id: reach.id, changes: { added: { to: added } } };
    return this.change(context, change, keyed, async (sql) => {
      const { id, default_subjects: byDefault } = await this.locked(sql, context.org, reach);
      const key = customerKey(context.org, subject);
      if (!added) await sql.rows(statements.discardSubject, [id, key]);
      // A row only for what differs from the default.
      if (added === (byDefault === 'ALL'))
        return { changed: (await sql.rows(statements.clearSubject, [id, key])).length > 0 };
      const [{ count } = { count: 0 }] = await sql.rows<{ count: number }>(statements.countSubjects, [id]);
      if (count >= maxStreamSubjects) throw limitReached(`The stream names ${maxStreamSubjects} subjects`);
      return { changed: (await sql.rows(statements.setSubject, [id, key, added])).length > 0 };
    });
  }

  /** The verification event follows what waits. @throws unknown_stream, rate_limited, invalid_state */
  verify(
    reach: Reach & { id: string },
    state: string | undefined,
    context: RequestContext,
    keyed?: Keyed<Record<string, never>>,
  ): Promise<Record<string, never>> {
    return this.change(context, { action: 'ssf_stream.verify', id: reach.id }, keyed, async (sql) => {
      const row = await this.locked(sql, context.org, reach);
      if (row.disabled) throw new AppError('invalid_state', 'The stream is disabled. Enable it first.');
      const now = this.clock.now();
      const before = new Date(now.getTime() - minVerificationIntervalSeconds * 1000);
      if ((await sql.rows(statements.verified, [row.id, now, before])).length === 0)
        throw new AppError(
          'rate_limited',
          `A stream is verified once in ${minVerificationIntervalSeconds} seconds. Wait, and ask again.`,
          { retryAfter: minVerificationIntervalSeconds },
        );
      await this.addOwn(sql, row, streamEvents.verification, state === undefined ? {} : { state });
      return {};
    });
  }

  /** The row after a change. @throws invalid_request */
  private changed(before: StreamRow, given: StreamChange): StreamRow {
    const { method = before.method, description = before.description, events = before.events_requested } = given;
    const url = method === 'poll' ? null : (given.endpointUrl ?? before.endpoint_url);
    if (method === 'push' && url === null)
      throw new AppError('invalid_request', 'A stream that is pushed needs an endpoint_url.');
    if (url !== null) this.requireCallable(url);
    if (url !== null && before.endpoint_url !== null)
      requireCredentialsForOrigin({
        before: new URL(before.endpoint_url).origin,
        after: new URL(url).origin,
        hasStored: before.authorization_header !== null,
        areGiven: given.authorization !== undefined,
        member: 'authorization',
      });
    const { authorization } = given;
    const sealed =
      authorization === undefined
        ? before.authorization_header
        : authorization === null
          ? null
          : this.authorizations.seal(before.id, authorization);
    return {
      ...{ ...before, method, description, events_requested: events },
      endpoint_url: url,
      authorization_header: url === null ? null : sealed,
    };
  }

  /** @throws invalid_request when the address must not be called */
  private requireCallable(url: string): void {
    try {
      this.outbounds.ofOrganizations.check(url);
    } catch (error) {
      if (!(error instanceof OutboundError)) throw error;
      throw new AppError('invalid_request', `The receiver's address cannot be called: ${error.message}`);
    }
  }

  /** Stores an event of the transmitter about the stream itself. The feed is locked. */
  private async addOwn(sql: Sql, row: StreamRow, uri: string, members: Record<string, unknown>): Promise<void> {
    const { id, org } = row;
    const jti = newId();
    const claims = { txn: jti, sub_id: { format: 'opaque', id }, events: { [uri]: members } };
    const values = [id, org, this.clock.now(), jti, uri, customerKey(org, id), JSON.stringify(claims)];
    await sql.rows(statements.addOwn, values);
  }

  /** Commits a change with its record and the response under its Idempotency-Key. `changed: false` writes no record. */
  private async change<Reply extends object>(
    context: RequestContext,
    change: Change,
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
  private async locked(
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

  private async stored(sql: Sql, row: StreamRow): Promise<StreamRow> {
    await sql.rows(statements.update, statements.update.values({ ...row, active_at: this.clock.now() }));
    return this.locked(sql, row.org, row);
  }
}

/** The response that a repeat of the request gets. */
export interface Keyed<Reply> {
  keyed: KeyedRequest;
  reply: (reply: Reply, sql: Sql) => object | Promise<object>;
}

function comparable({ description, events_requested: events, method, endpoint_url: endpointUrl }: StreamRow) {
  return { description, events, method, endpointUrl };
}

function changesOf(
  before: Record<string, unknown>,
  after: Record<string, unknown>,
): NonNullable<AuditRecord['changes']> {
  const text = (value: unknown) => JSON.stringify(value ?? null);
  const changed = Object.keys(after).filter((name) => text(before[name]) !== text(after[name]));
  return Object.fromEntries(
    changed.map((name) => [name, { from: before[name] ?? null, to: after[name] ?? null }]),
  ) as NonNullable<AuditRecord['changes']>;
}

function limitReached(what: string): AppError {
  return new AppError('limit_reached', `${what}, which is the maximum. Delete one first.`);
}

import { Inject, Injectable } from '@nestjs/common';
import {
  makerOf,
  maxStreamsOfOrganization,
  maxStreamsOfReceiver,
  streamEvents,
  type AuditRecord,
  type RequestContext,
} from '@holdfast/contracts';
import { Database, type Sql } from '@holdfast/data';
import type { KeyedRequest } from '@holdfast/outbox';
import { AppError, CLOCK, newId, OutboundError, requireCredentialsForOrigin, type Clock } from '@holdfast/platform';
import { makerColumns } from '../makers/maker-columns.js';
import { Outbounds } from '../sending/outbounds.js';
import { Authorizations } from './authorizations.js';
import { Receivers } from './receivers.js';
import { limitReached, StreamChanges, type Keyed, type Reach, type StreamAct } from './stream-changes.js';
import * as statements from './stream-statements.js';
import { toStatus, unknownStream, type PausedBecause, type ShownStream, type StreamRow } from './stream.js';

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

/** The streams of an organization. Each change commits with its audit record. */
@Injectable()
export class Streams {
  constructor(
    private readonly database: Database,
    private readonly changes: StreamChanges,
    private readonly receivers: Receivers,
    private readonly authorizations: Authorizations,
    private readonly outbounds: Outbounds,
    @Inject(CLOCK) private readonly clock: Clock,
  ) {}

  /** With what waits, for administrators. */
  shown(org: string, { receiver, id }: Reach, sql: Sql = this.database): Promise<ShownStream[]> {
    return sql.rows<ShownStream>(statements.select, [org, receiver ?? null, id ?? null]);
  }

  /** For a receiver, a request that names a stream counts as activity (SSF 1.0 §8.1.1). @throws unknown_stream */
  async found(org: string, { receiver, id }: Reach): Promise<StreamRow[]> {
    const rows = await this.database.rows<StreamRow>(statements.find, [org, receiver ?? null, id ?? null]);
    if (id === undefined) return rows;
    if (rows.length === 0) throw unknownStream();
    if (receiver !== undefined) await this.database.rows(statements.active, [id, this.clock.now()]);
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
    return this.changes.commit(context, { action: 'ssf_stream.create', id, changes }, keyed, async (sql) => {
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
      return { row: await this.changes.locked(sql, org, { id }) };
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
    const change: StreamAct = { action: 'ssf_stream.update', id: reach.id };
    return this.changes.commit(context, change, keyed, async (sql) => {
      const before = await this.changes.locked(sql, context.org, reach, ifVersions);
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
      // Who decides what is sent, or where, is responsible for it from then on.
      const decides = Object.keys(change.changes).some((name) => name !== 'description');
      const maker = decides ? makerColumns(makerOf(context.actor)) : {};
      return { row: await this.stored(sql, { ...after, ...maker }), changed: true };
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
    const change: StreamAct = { action: isEnabled ? 'ssf_stream.resume' : 'ssf_stream.pause', id: reach.id };
    return this.changes.commit(context, change, keyed, async (sql) => {
      const before = await this.changes.locked(sql, context.org, reach);
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
        await this.changes.addOwn(sql, row, streamEvents.updated, { status, ...(reason !== undefined && { reason }) });
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
    return this.changes.commit(context, { action: 'ssf_stream.delete', id: reach.id }, whole, async (sql) => {
      await this.changes.locked(sql, context.org, reach, ifVersions);
      await sql.rows(statements.remove, [reach.id]);
      await sql.rows(statements.unsubscribe, [context.org]);
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

  private async stored(sql: Sql, row: StreamRow): Promise<StreamRow> {
    await sql.rows(statements.update, statements.update.values({ ...row, active_at: this.clock.now() }));
    return this.changes.locked(sql, row.org, row);
  }
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

import { Inject, Injectable } from '@nestjs/common';
import { RecordOutbox } from '@holdfast/audit-client';
import {
  makerOf,
  maxWebhookEndpoints,
  type Action,
  type AuditRecord,
  type NewWebhookEndpoint,
  type ReplyOf,
  type RequestContext,
  type rotateWebhookKey,
  type WebhookEndpoint,
  type WebhookEndpointChanges,
} from '@holdfast/contracts';
import { Database, type Sql } from '@holdfast/data';
import type { KeyedRequest } from '@holdfast/outbox';
import {
  AppError,
  auditRecord,
  CLOCK,
  newId,
  OutboundError,
  requireCredentialsForOrigin,
  type Clock,
} from '@holdfast/platform';
import { lockFeed } from '../feed/feed-lock.js';
import { makerColumns } from '../makers/maker-columns.js';
import { Outbounds } from '../sending/outbounds.js';
import { newSigningSecret, rotatedSecrets } from '../standard-webhooks/signing-secrets.js';
import { WebhookQueue } from './delivery/webhook-queue.js';
import { changesOf } from './endpoint-changes.js';
import * as statements from './endpoint-statements.js';
import { endpointTarget, toEndpoint, unknownEndpoint, type EndpointRow, type ShownRow } from './endpoint.js';
import { OperatorRequests } from './operator-requests.js';
import { WebhookSecrets } from './secrets.js';
import { WebhookKeys } from './webhook-keys.js';

interface Change {
  action: Action;
  /** The endpoint; absent for a change of the organization's key. */
  id?: string;
  changes?: AuditRecord['changes'];
}
type Changed = { endpoint: WebhookEndpoint; changed: boolean };

/** The webhook endpoints of an organization. Each change commits with its audit record. */
@Injectable()
export class Endpoints {
  constructor(
    private readonly database: Database,
    private readonly records: RecordOutbox,
    private readonly secrets: WebhookSecrets,
    private readonly keys: WebhookKeys,
    private readonly outbounds: Outbounds,
    private readonly queue: WebhookQueue,
    private readonly operator: OperatorRequests,
    @Inject(CLOCK) private readonly clock: Clock,
  ) {}

  async list({ org }: RequestContext, id?: string): Promise<WebhookEndpoint[]> {
    return this.shown(this.database, org, id);
  }

  /** @throws unknown_webhook_endpoint */
  async get(context: RequestContext, id: string): Promise<WebhookEndpoint> {
    const [found] = await this.list(context, id);
    if (!found) throw unknownEndpoint();
    return found;
  }

  /** @throws invalid_request, limit_reached */
  create(
    given: NewWebhookEndpoint,
    context: RequestContext,
    keyed?: KeyedRequest,
  ): Promise<{ endpoint: WebhookEndpoint & { secret: string } }> {
    this.requireCallable(given.url);
    const { org } = context;
    const id = newId();
    const secret = newSigningSecret();
    const { url, description, types, headers, rateLimit, signatures } = given;
    const header_names = Object.keys(headers ?? {}).sort();
    const changes = changesOf({}, { url, description, types, headers: header_names, rateLimit, signatures });
    return this.change(context, { action: 'webhook_endpoint.create', id, changes }, keyed, async (sql) => {
      await sql.rows(statements.subscribe, [org]);
      if (signatures.includes('v1a')) await this.keys.ensure(sql, org);
      const values = statements.insert.values({
        ...{ slots: maxWebhookEndpoints, id, org, url, description, types, header_names, signatures },
        rate_limit: rateLimit,
        headers: header_names.length > 0 ? this.secrets.sealHeaders(id, headers!) : null,
        secrets: this.secrets.sealSecrets(id, { secret }),
        created_at: this.clock.now(),
        ...makerColumns(makerOf(context.actor)),
      });
      if ((await sql.rows(statements.insert, values)).length === 0) throw limitReached();
      const [endpoint] = await this.shown(sql, org, id);
      return { endpoint: { ...endpoint!, secret } };
    });
  }

  /** @throws unknown_webhook_endpoint, invalid_request, precondition_failed */
  update(
    id: string,
    given: WebhookEndpointChanges,
    ifVersions: number[] | undefined,
    context: RequestContext,
    keyed?: KeyedRequest,
  ): Promise<Changed> {
    const change: Change = { action: 'webhook_endpoint.update', id };
    return this.change(context, change, keyed, async (sql) => {
      const before = await this.locked(sql, context.org, id, ifVersions);
      const after = this.changed(before, given);
      change.changes = changesOf(comparable(before), comparable(after));
      if (after.headers !== before.headers) change.changes = { ...change.changes, headers: { to: after.header_names } };
      if (!change.changes) return { endpoint: (await this.shown(sql, context.org, id))[0]!, changed: false };
      if (after.signatures.includes('v1a')) await this.keys.ensure(sql, context.org);
      // What is sent, or where, is from now on the doing of who changed it.
      const isSent = given.description === undefined || Object.keys(given).length > 1;
      return this.stored(sql, isSent ? { ...after, ...makerColumns(makerOf(context.actor)) } : after);
    });
  }

  /** @throws unknown_webhook_endpoint */
  pause(id: string, context: RequestContext, keyed?: KeyedRequest): Promise<Changed> {
    const change: Change = { action: 'webhook_endpoint.pause', id, changes: { paused: { from: false, to: true } } };
    return this.change(context, change, keyed, async (sql) => {
      const before = await this.locked(sql, context.org, id);
      if (before.paused) return { endpoint: (await this.shown(sql, context.org, id))[0]!, changed: false };
      return this.stored(sql, { ...before, paused: true, paused_because: null });
    });
  }

  /** @throws unknown_webhook_endpoint */
  resume(id: string, skip: boolean, context: RequestContext, keyed?: KeyedRequest): Promise<Changed> {
    const change: Change = { action: 'webhook_endpoint.resume', id };
    return this.change(context, change, keyed, async (sql) => {
      const before = await this.locked(sql, context.org, id);
      change.changes = {
        ...(before.paused && { paused: { from: true, to: false } }),
        ...(before.disabled_because && { disabledBecause: { from: before.disabled_because } }),
        ...(skip && { skipped: { to: true } }),
      };
      if (before.disabled_at) await sql.rows(statements.enable, [id]);
      if (skip) {
        await sql.rows(statements.skip, [id]);
        await sql.rows(statements.holdNothing, [id]);
      } else await sql.rows(statements.dueNow, [id, this.clock.now()]);
      return this.stored(sql, {
        ...before,
        paused: false,
        paused_because: null,
        ...makerColumns(makerOf(context.actor)),
      });
    });
  }

  /** Both secrets sign for a day. @throws unknown_webhook_endpoint */
  rotateSecret(
    id: string,
    context: RequestContext,
    keyed?: KeyedRequest,
  ): Promise<{ secret: string; previousUntil: string }> {
    return this.change(context, { action: 'webhook_endpoint.rotate_secret', id }, keyed, async (sql) => {
      const before = await this.locked(sql, context.org, id);
      const secrets = rotatedSecrets(this.secrets.secretsOf(before), this.clock.now());
      const maker = makerColumns(makerOf(context.actor));
      await this.stored(sql, { ...before, ...maker, secrets: this.secrets.sealSecrets(id, secrets) });
      return { secret: secrets.secret, previousUntil: secrets.previous.until };
    });
  }

  /** Both keys sign for a day. */
  rotateKey(context: RequestContext, keyed?: KeyedRequest): Promise<ReplyOf<typeof rotateWebhookKey>> {
    return this.change(context, { action: 'webhook_key.rotate' }, keyed, async (sql) => ({
      keys: await this.keys.rotate(sql, context.org),
    }));
  }

  /** @throws unknown_webhook_endpoint, precondition_failed */
  delete(
    id: string,
    ifVersions: number[] | undefined,
    context: RequestContext,
    keyed?: KeyedRequest,
  ): Promise<Record<string, never>> {
    return this.change(context, { action: 'webhook_endpoint.delete', id }, keyed, async (sql) => {
      await this.locked(sql, context.org, id, ifVersions);
      await sql.rows(statements.remove, [id]);
      await sql.rows(statements.unsubscribe, [context.org]);
      return {};
    });
  }

  /** The row after a change. @throws invalid_request */
  private changed(before: EndpointRow, given: WebhookEndpointChanges): EndpointRow {
    const { url = before.url, description = before.description, types = before.types, headers } = given;
    const { rateLimit = before.rate_limit, signatures = before.signatures } = given;
    this.requireCallable(url);
    requireCredentialsForOrigin({
      before: new URL(before.url).origin,
      after: new URL(url).origin,
      hasStored: before.headers !== null,
      areGiven: headers !== undefined,
      member: 'headers',
    });
    const header_names = headers === undefined ? before.header_names : Object.keys(headers ?? {}).sort();
    const sealed = headers && header_names.length > 0 ? this.secrets.sealHeaders(before.id, headers) : null;
    return {
      ...{ ...before, url, description, types, header_names, signatures },
      rate_limit: rateLimit,
      headers: headers === undefined ? before.headers : sealed,
    };
  }

  /** @throws invalid_request when the address must not be called */
  private requireCallable(url: string): void {
    try {
      this.outbounds.ofOrganizations.check(url);
    } catch (error) {
      if (!(error instanceof OutboundError)) throw error;
      const errors = [{ pointer: '#/url', detail: error.message }];
      throw new AppError('invalid_request', undefined, { status: 422, errors });
    }
  }

  /** Commits a change with its record and the response under its Idempotency-Key. `changed: false` writes no record. */
  private async change<Reply extends object>(
    context: RequestContext,
    change: Change,
    keyed: KeyedRequest | undefined,
    work: (sql: Sql) => Promise<Reply>,
  ): Promise<Reply> {
    const { org } = context;
    await this.operator.check(context);
    const committed = await this.database.transaction(async (sql) => {
      // First, as appending does: everything that locks an endpoint locks the organization's feed before.
      await sql.rows(lockFeed, [org]);
      const reply = await work(sql);
      const { action, id, changes } = change;
      const record = auditRecord(context, this.clock.now(), {
        action,
        targets: id === undefined ? [] : [endpointTarget(id)],
        outcome: { result: 'success' },
        ...(changes && Object.keys(changes).length > 0 && { changes }),
      });
      const isRecorded = (reply as { changed?: boolean }).changed !== false;
      if (isRecorded) await this.records.add(sql, org, record);
      await keyed?.store(sql, reply, { event: record.id, version: 0 });
      return { reply, record: isRecorded ? record : undefined };
    });
    if (committed.record) await this.records.append(org, committed.record);
    if (change.id !== undefined) this.queue.wake('free', change.id);
    return committed.reply;
  }

  private async shown(sql: Sql, org: string, id?: string): Promise<WebhookEndpoint[]> {
    return (await sql.rows<ShownRow>(statements.select, [org, id ?? null])).map(toEndpoint);
  }

  /** @throws unknown_webhook_endpoint, precondition_failed */
  private async locked(sql: Sql, org: string, id: string, ifVersions?: number[]): Promise<EndpointRow> {
    const [row] = await sql.rows<EndpointRow>(statements.lock, [org, id]);
    if (!row) throw unknownEndpoint();
    if (ifVersions && !ifVersions.includes(row.version)) throw new AppError('precondition_failed');
    return row;
  }

  private async stored(sql: Sql, row: EndpointRow): Promise<Changed> {
    await sql.rows(statements.update, statements.update.values(row));
    const [endpoint] = await this.shown(sql, row.org, row.id);
    return { endpoint: endpoint!, changed: true };
  }
}

function comparable({ url, description, types, rate_limit: rateLimit, signatures }: EndpointRow) {
  return { url, description, types, rateLimit, signatures };
}

function limitReached(): AppError {
  const detail = `There are ${maxWebhookEndpoints} webhook endpoints, which is the maximum. Delete one first.`;
  return new AppError('limit_reached', detail);
}

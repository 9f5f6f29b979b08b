import { Inject, Injectable } from '@nestjs/common';
import { RecordOutbox } from '@holdfast/audit-client';
import {
  maxRecoveredMessages,
  type AuditRecord,
  type listWebhookAttempts,
  type listWebhookMessages,
  type ReplyOf,
  type RequestContext,
  type RequestOf,
  type WebhookAttempt,
  type WebhookMessage,
  type WebhookRecovery,
} from '@holdfast/contracts';
import { Database, type Sql } from '@holdfast/data';
import type { KeyedRequest } from '@holdfast/outbox';
import { AppError, auditRecord, CLOCK, type Clock } from '@holdfast/platform';
import { lockFeed } from '../feed/feed-lock.js';
import { WebhookQueue } from './delivery/webhook-queue.js';
import { endpointTarget, unknownEndpoint } from './endpoint.js';
import * as statements from './message-statements.js';
import { OperatorRequests } from './operator-requests.js';

type Delivery = WebhookMessage['deliveries'][number];

interface DeliveryRow {
  endpoint: string;
  status: Delivery['status'];
  attempts: WebhookAttempt[];
  due_at: Date;
}
interface MessageRow extends DeliveryRow {
  seq: number;
  event: string;
  type: WebhookMessage['type'];
  occurred_at: Date;
}

const unknownMessage = () => new AppError('unknown_webhook_message');

/** What was sent to endpoints and what waits, and how to send it again. */
@Injectable()
export class Messages {
  constructor(
    private readonly database: Database,
    private readonly records: RecordOutbox,
    private readonly queue: WebhookQueue,
    private readonly operator: OperatorRequests,
    @Inject(CLOCK) private readonly clock: Clock,
  ) {}

  async list(
    { endpoint, types, status, since, until, limit, after }: RequestOf<typeof listWebhookMessages>,
    { org }: RequestContext,
  ): Promise<ReplyOf<typeof listWebhookMessages>> {
    const filter = { org, endpoint, types, status, since, until, before: after, limit: limit + 1 };
    const found = statements.listBy(filter);
    const rows = await this.database.rows<MessageRow>(found, found.values(filter));
    const bySeq = [...Map.groupBy(rows, ({ seq }) => seq)];
    const items = bySeq.slice(0, limit).map(([, deliveries]) => {
      const [{ event, type, occurred_at }] = deliveries as [MessageRow];
      return { id: event, type, occurredAt: occurred_at.toISOString(), deliveries: deliveries.map(toDelivery) };
    });
    return { items, ...(bySeq.length > limit && { next: bySeq[limit - 1]![0] }) };
  }

  /** @throws unknown_webhook_message */
  async attempts(id: string, { org }: RequestContext): Promise<ReplyOf<typeof listWebhookAttempts>> {
    const rows = await this.database.rows<DeliveryRow>(statements.deliveriesOf, [org, id]);
    if (rows.length === 0) throw unknownMessage();
    return { id, deliveries: rows.map((row) => ({ ...toDelivery(row), history: row.attempts })) };
  }

  /** @throws unknown_webhook_message, unknown_webhook_endpoint */
  async resend(
    id: string,
    endpoint: string | undefined,
    context: RequestContext,
    keyed?: KeyedRequest,
  ): Promise<{ endpoints: number }> {
    const targets = [{ type: 'webhook_message', id } as const, ...(endpoint ? [endpointTarget(endpoint)] : [])];
    return this.change(context, { action: 'webhook_message.resend', targets }, keyed, async (sql) => {
      if (endpoint) await this.requireEndpoint(sql, context.org, endpoint);
      const values = [context.org, id, endpoint ?? null, this.clock.now()];
      const { length } = await sql.rows(statements.resend, values);
      if (length > 0) return { endpoints: length };
      // An endpoint that has not got it, such as one that its filter kept away.
      const added = endpoint ? await sql.rows(statements.addOne, [context.org, id, endpoint, this.clock.now()]) : [];
      if (added.length === 0) throw unknownMessage();
      return { endpoints: 1 };
    });
  }

  /** @throws unknown_webhook_endpoint */
  async recover(
    id: string,
    { since, until, types, onlyFailed }: WebhookRecovery,
    context: RequestContext,
    keyed?: KeyedRequest,
  ): Promise<{ messages: number; hasMore: boolean }> {
    const changes = {
      since: { to: since },
      ...(until !== undefined && { until: { to: until } }),
      ...(types && { types: { to: types } }),
      onlyFailed: { to: onlyFailed },
    };
    const action = 'webhook_endpoint.recover';
    return this.change(context, { action, targets: [endpointTarget(id)], changes }, keyed, async (sql) => {
      await this.requireEndpoint(sql, context.org, id);
      const now = this.clock.now();
      const range = { endpoint: id, org: context.org, since, until: until ?? now, types, now };
      const again = { ...range, limit: maxRecoveredMessages + 1, statuses: statusesOf(onlyFailed) };
      const { length } = await sql.rows(statements.recover, statements.recover.values(again));
      const limit = maxRecoveredMessages + 1 - length;
      const added = onlyFailed
        ? []
        : await sql.rows(statements.addMissing, statements.addMissing.values({ ...range, limit }));
      const messages = length + added.length;
      return { messages: Math.min(messages, maxRecoveredMessages), hasMore: messages > maxRecoveredMessages };
    });
  }

  private async requireEndpoint(sql: Sql, org: string, id: string): Promise<void> {
    if ((await sql.rows(statements.endpointExists, [org, id])).length === 0) throw unknownEndpoint();
  }

  private async change<Reply extends object>(
    context: RequestContext,
    about: Pick<AuditRecord, 'action' | 'targets' | 'changes'>,
    keyed: KeyedRequest | undefined,
    work: (sql: Sql) => Promise<Reply>,
  ): Promise<Reply> {
    const { org } = context;
    await this.operator.check(context);
    const { reply, record } = await this.database.transaction(async (sql) => {
      await sql.rows(lockFeed, [org]);
      const done = await work(sql);
      const written = auditRecord(context, this.clock.now(), { ...about, outcome: { result: 'success' } });
      await this.records.add(sql, org, written);
      await keyed?.store(sql, done, { event: written.id, version: 0 });
      return { reply: done, record: written };
    });
    await this.records.append(org, record);
    for (const { type, id } of about.targets) if (type === 'webhook_endpoint') this.queue.wake('free', id);
    return reply;
  }
}

/** What is sent again: what waits too, at once. */
function statusesOf(onlyFailed: boolean): string[] {
  return onlyFailed ? ['failed', 'skipped', 'pending'] : ['failed', 'skipped', 'pending', 'delivered'];
}

function toDelivery({ endpoint, status, attempts, due_at }: DeliveryRow): Delivery {
  return {
    endpoint,
    status,
    attempts: attempts.length,
    ...(status === 'pending' && { nextAttemptAt: due_at.toISOString() }),
  };
}

import { Inject, Injectable } from '@nestjs/common';
import { RecordOutbox } from '@holdfast/audit-client';
import {
  publicEventTypes,
  sampleMessageOf,
  type EventType,
  type ReplyOf,
  type RequestContext,
  type testWebhookEndpoint,
} from '@holdfast/contracts';
import { Database, statement } from '@holdfast/data';
import type { KeyedRequest } from '@holdfast/outbox';
import { auditRecord, CLOCK, newId, type Clock } from '@holdfast/platform';
import { WebhookSender } from './delivery/webhook-sender.js';
import { endpointTarget, unknownEndpoint, type EndpointRow } from './endpoint.js';

/** Shorter than the command may take. */
const timeoutMs = 3500;

const find = statement('webhook_endpoint_find', 'SELECT * FROM webhook_endpoint WHERE org = $1 AND id = $2');

/** Sends one sample, which is no event, and says at once whether the receiver has confirmed it. */
@Injectable()
export class TestEndpoint {
  constructor(
    private readonly database: Database,
    private readonly records: RecordOutbox,
    private readonly sender: WebhookSender,
    @Inject(CLOCK) private readonly clock: Clock,
  ) {}

  /** @throws unknown_webhook_endpoint */
  async send(
    id: string,
    given: EventType | undefined,
    context: RequestContext,
    keyed?: KeyedRequest,
  ): Promise<ReplyOf<typeof testWebhookEndpoint>> {
    const { org } = context;
    const [row] = await this.database.rows<EndpointRow>(find, [org, id]);
    if (!row) throw unknownEndpoint();
    const type = given ?? row.types?.[0] ?? publicEventTypes[0];
    const messageId = newId();
    const message = { ...sampleMessageOf(type, this.sender.sourceOf(org)), id: messageId, test: true };
    const target = { ...row, endpoint: id };
    const { status, latencyMs, error } = await this.sender.attempt(
      target,
      messageId,
      JSON.stringify(message),
      timeoutMs,
    );
    const reply = {
      delivered: error === undefined,
      ...(status !== undefined && { status }),
      latencyMs,
      ...(error !== undefined && { detail: error }),
    };
    const record = auditRecord(context, this.clock.now(), {
      action: 'webhook_endpoint.test',
      targets: [endpointTarget(id)],
      outcome: { result: 'success' },
      changes: { delivered: { to: reply.delivered } },
    });
    await this.database.transaction(async (sql) => {
      await this.records.add(sql, org, record);
      await keyed?.store(sql, reply, { event: record.id, version: 0 });
    });
    await this.records.append(org, record);
    return reply;
  }
}

import { Inject, Injectable } from '@nestjs/common';
import { RecordOutbox } from '@holdfast/audit-client';
import {
  allOrganizations,
  type AuditEvent,
  type ReplyOf,
  type RequestContext,
  type testAuditDestination,
} from '@holdfast/contracts';
import { Database, statement } from '@holdfast/data';
import type { KeyedRequest } from '@holdfast/outbox';
import { auditRecord, CLOCK, newId, type Clock } from '@holdfast/platform';
import { CONFIG } from '@holdfast/service';
import type { SignalsConfig } from '../config.js';
import { Outbounds } from '../sending/outbounds.js';
import { Credentials } from './credentials.js';
import { destinationTarget, ownerOf, unknownDestination, type DestinationRow } from './destination.js';
import { entryOf } from './format.js';
import { kindOf } from './kinds/index.js';
import { deliveryErrorOf } from './kinds/kind.js';

/** Shorter than the command may take. */
const timeoutMs = 3500;

const find = statement('audit_destination_find', 'SELECT * FROM audit_destination WHERE org = $1 AND id = $2');

/** Sends one entry that is not of the log, with `seq` 0, and says at once whether the receiver has confirmed it. */
@Injectable()
export class TestDestination {
  constructor(
    private readonly database: Database,
    private readonly records: RecordOutbox,
    private readonly credentials: Credentials,
    private readonly outbounds: Outbounds,
    @Inject(CLOCK) private readonly clock: Clock,
    @Inject(CONFIG) private readonly config: SignalsConfig,
  ) {}

  /** @throws unknown_destination */
  async send(id: string, context: RequestContext, keyed?: KeyedRequest): Promise<ReplyOf<typeof testAuditDestination>> {
    const org = ownerOf(context);
    const [row] = await this.database.rows<DestinationRow>(find, [org, id]);
    if (!row) throw unknownDestination();
    const failure = await this.failureOf(row, context);
    const reply = { delivered: failure === undefined, ...(failure !== undefined && { detail: failure }) };
    const record = auditRecord(context, this.clock.now(), {
      action: 'audit_destination.test',
      targets: [destinationTarget(id)],
      outcome: { result: 'success' },
      changes: { delivered: { to: reply.delivered } },
    });
    await this.database.transaction(async (sql) => {
      if (context.org !== '') await this.records.add(sql, context.org, record);
      await keyed?.store(sql, reply, { event: record.id, version: 0 });
    });
    if (context.org !== '') await this.records.append(context.org, record);
    return reply;
  }

  /** Why the test entry was not confirmed. */
  private async failureOf(row: DestinationRow, context: RequestContext): Promise<string | undefined> {
    const { id, kind, settings, format } = row;
    const now = this.clock.now();
    // An organization has no such short ID: the receiver cannot take the entry for one of a log.
    const org = row.org === allOrganizations ? 'test' : row.org;
    try {
      const { failure, rejected } = await kindOf(kind).send(
        { org, entries: [entryOf(testEvent(id, context, now), org, format)] },
        {
          id,
          settings,
          credentials: this.credentials.unsealed(id, row.credentials),
          outbound: this.outbounds.of(row),
          baseUrl: this.config.BASE_URL,
          now,
          timeoutMs,
        },
      );
      return failure?.message ?? rejected?.reason;
    } catch (error) {
      return deliveryErrorOf(error, now).message;
    }
  }
}

function testEvent(id: string, { actor, request }: RequestContext, now: Date): AuditEvent {
  const { id: requestId, traceparent, method, route } = request;
  return {
    id: newId(),
    seq: 0,
    occurredAt: now.toISOString(),
    action: 'audit_destination.test',
    // A person is named by their pseudonym in a log, which only audit knows.
    actor: actor.type === 'person' ? { type: 'system', id: 'signals' } : actor,
    targets: [destinationTarget(id)],
    outcome: { result: 'success' },
    request: { id: requestId, traceparent, method, route },
  };
}

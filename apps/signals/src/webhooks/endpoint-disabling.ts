import { Inject, Injectable } from '@nestjs/common';
import { RecordOutbox } from '@holdfast/audit-client';
import type { EventData } from '@holdfast/contracts';
import { Database, isNotFenced, statement } from '@holdfast/data';
import { systemContext } from '@holdfast/messaging';
import { auditRecord, CLOCK, customerKey, newId, type Clock } from '@holdfast/platform';
import { Interval } from '@holdfast/service';
import { Feed } from '../feed/feed.js';
import { heldAfter } from './endpoint-makers.js';
import { endpointTarget } from './endpoint.js';
import { disabledEndpoints } from './metrics.js';

/** Nothing but failures for so long. */
const failingMs = 5 * 86_400_000;
/** A single failure on a quiet day disables nothing. */
const minFailures = 3;
const batchSize = 100;

const disables = (because: string) => `disabled_at = $1, disabled_because = '${because}',
  disabled_event = gen_random_uuid(), disablings = disablings + 1, version = version + 1, retry_at = NULL,
  held_after = ${heldAfter('w')}`;
const disableGone = statement(
  'webhook_endpoint_gone',
  `UPDATE webhook_endpoint w SET ${disables('gone')} WHERE id = $2 AND disabled_at IS NULL RETURNING w.id`,
);
const disableFailing = statement(
  'webhook_endpoint_failed_long',
  `UPDATE webhook_endpoint w SET ${disables('failures')}
    WHERE id IN (SELECT id FROM webhook_endpoint f WHERE failing_since <= $2 AND failures >= ${minFailures}
                    AND disabled_at IS NULL AND NOT paused AND ${isNotFenced('f.org')}
                  ORDER BY failing_since LIMIT ${batchSize} FOR UPDATE SKIP LOCKED)
   RETURNING w.id`,
);
const unannounced = statement(
  'webhook_endpoint_unannounced',
  `SELECT id, org, disabled_event AS event, disabled_at AS at, disabled_because AS cause, disablings AS number,
     last_error AS error
     FROM webhook_endpoint w WHERE disabled_event IS NOT NULL AND ${isNotFenced('w.org')} LIMIT ${batchSize}`,
);
const announced = statement(
  'webhook_endpoint_announced',
  'UPDATE webhook_endpoint SET disabled_event = NULL WHERE id = $1 AND disabled_event = $2 RETURNING id',
);

interface Disabled {
  id: string;
  org: string;
  event: string;
  at: Date;
  cause: 'gone' | 'failures';
  number: number;
  error: string | null;
}

/** Disables endpoints because of what their receivers answer, and says so in the feed and in the log. */
@Injectable()
export class EndpointDisabling {
  constructor(
    private readonly database: Database,
    private readonly feed: Feed,
    private readonly records: RecordOutbox,
    @Inject(CLOCK) private readonly clock: Clock,
  ) {}

  /** Its receiver has answered 410. */
  async disableGone(endpoint: string): Promise<void> {
    const disabled = await this.database.rows(disableGone, [this.clock.now(), endpoint]);
    if (disabled.length === 0) return;
    disabledEndpoints.inc({ cause: 'gone' });
    // Repeated by the interval when it fails.
    await this.announce().catch(() => undefined);
  }

  @Interval({
    name: 'webhook_endpoints_disabled',
    intervalMs: 30_000,
    requiresAgreedClock: true,
    failure: 'Failed to disable webhook endpoints that fail for days. It is repeated',
  })
  async disableFailing(): Promise<void> {
    const now = this.clock.now();
    const disabled = await this.database.rows(disableFailing, [now, new Date(now.getTime() - failingMs)]);
    disabledEndpoints.inc({ cause: 'failures' }, disabled.length);
    await this.announce();
  }

  private async announce(): Promise<void> {
    for (const disabled of await this.database.rows<Disabled>(unannounced)) await this.announceOne(disabled);
  }

  /** The event first: it is appended once, however often this is repeated until the record is committed. */
  private async announceOne({ id, org, event, at, cause, number, error }: Disabled): Promise<void> {
    const type = 'webhook_endpoint.disabled';
    const data: EventData<typeof type> = { endpoint: id, cause };
    const key = customerKey(org, id).toString('hex');
    const about = { id: event, org, key, type, version: number, occurredAt: at, receivedAt: this.clock.now() };
    await this.feed.append([{ ...about, erases: false, data }]);
    const record = auditRecord({ ...systemContext('signals'), auditId: newId() }, this.clock.now(), {
      action: 'webhook_endpoint.disable',
      targets: [endpointTarget(id)],
      outcome: { result: 'success' },
      changes: { disabledBecause: { to: cause }, ...(error !== null && { lastError: { to: error } }) },
    });
    const isWritten = await this.database.transaction(async (sql) => {
      const [row] = await sql.rows(announced, [id, event]);
      if (row) await this.records.add(sql, org, record);
      return row !== undefined;
    });
    if (isWritten) await this.records.append(org, record);
  }
}
